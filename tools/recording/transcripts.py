"""Cuts a pasted terminal session at its prompts: what each command printed is a text of its own kind.

A part keeps the line numbers of its file, so that what is cited is found where it stands.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from firstfault.tools.kinds import Kind
from firstfault.tools.recording.hosts import PROMPT_HOST

_PROMPT = re.compile(
    r"^(?:\([\w.-]+\) )?(?:\[?[\w.-]+@(?P<host>[\w-]+)(?:\.[\w.-]+)?(?:[ :\]][^#$%>]{0,80})?[#$%>]|[#$%>]) ?"
    r"(?P<command>(?:sudo |time |watch )?(?:[A-Z_]+=\S+ )*(?:/\S*/)?[a-z][\w.-]*(?: .*)?)$"
)
"""A prompt of a usual shell (bash, zsh, sh, root) with a command behind it."""
_KNOWN = frozenset(
    {
        "kubectl", "oc", "k", "nvidia-smi", "dcgmi", "dmesg", "journalctl", "systemctl", "ibstat", "ibstatus", "ibv_devinfo",
        "iblinkinfo", "perfquery", "ethtool", "ip", "lspci", "lsmod", "modinfo", "cat", "tail", "head", "less", "grep", "zgrep",
        "df", "free", "mount", "ulimit", "ps", "top", "uname", "uptime", "crictl", "ctr", "docker", "helm", "argocd", "flux",
        "git", "apt", "dnf", "yum", "rpm", "dpkg", "squeue", "sinfo", "scontrol", "sacct", "chronyc", "timedatectl", "curl",
        "python", "python3", "torchrun", "mpirun", "srun", "ls", "ping", "show_gids", "rdma", "nvidia-bug-report.sh", "hostname",
        "date", "etcdctl", "ipmitool", "smartctl", "lsblk", "nslookup", "dig", "ss", "netstat", "numactl", "nproc", "lscpu",
        "ssh", "echo",
    }
)  # fmt: skip
"""Programs whose name behind a prompt makes it one: a line of prose may begin with `#` or `>` too."""
MOST_LINES = 200_000
"""Nobody pastes more by hand; a larger file is read as one text. Units: lines."""
_KINDS_OF_PROGRAMS: dict[str, Kind] = {
    "dmesg": Kind.KERNEL_LOG,
    "journalctl": Kind.JOURNAL,
    "nvidia-smi": Kind.NVIDIA_SMI,
    "ibstat": Kind.IBSTAT,
    "ibstatus": Kind.IBSTAT,
}
_KUBECTL = frozenset({"kubectl", "oc", "k"})
_OBJECT_FORMATS = ("yaml", "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The output of one command. first, last: lines of the file, counted from 1.

    kind: what the command prints, None when it is told by content. labels: what the prompt and the command name.
    """

    command: str
    first: int
    last: int
    kind: Kind | None = None
    labels: Mapping[str, str] = field(default_factory=dict[str, str])


def may_be_session(head: str) -> bool:
    """Return whether a text that begins with `head` may be a terminal session: a cheap test for large files."""
    return any(True for _ in _prompts(head.split("\n")))


def parts_of(lines: Sequence[str]) -> tuple[Part, ...]:
    """Return what the commands of a terminal session printed, in order; nothing for any other text.

    What stands above the first prompt is a part without a command.
    """
    prompts = [] if len(lines) > MOST_LINES else list(_prompts(lines))
    if not prompts:
        return ()
    bounds = [number for number, _, _ in prompts] + [len(lines) + 1]
    entered = {word for _, _, command in prompts for word in _entered(command)}
    found: list[Part] = []
    if any(line.strip() for line in lines[: bounds[0] - 1]):
        found.append(Part(command="", first=1, last=bounds[0] - 1))
    for (number, host, command), end in zip(prompts, bounds[1:], strict=True):
        if any(line.strip() for line in lines[number : end - 1]):
            kind, labels = meaning(command)
            found.append(
                Part(
                    command=command,
                    first=number + 1,
                    last=end - 1,
                    kind=kind,
                    labels={**_host(host, entered if kind not in _FROM_AFAR else None), **labels},
                )
            )
    return tuple(found)


def _entered(command: str) -> Sequence[str]:
    """Return the words of a command that opens a shell in a pod; one of them is its name."""
    words = command.split()
    is_shell = _program(command) in _KUBECTL and {"exec", "attach", "debug"} & set(words)
    return [word.rpartition("/")[2] for word in words] if is_shell else ()


def _host(host: str, entered: set[str] | None) -> dict[str, str]:
    """Return what a prompt says of where a command ran; entered: pods that a shell was opened in, None: elsewhere."""
    if not host or entered is None:
        return {}
    return {"pod" if host in entered else PROMPT_HOST: host}


def part_of(data: bytes, part: Part) -> bytes:
    """Return the lines of `part`, below as many empty ones as stand above it in the file."""
    held = data.split(b"\n")[part.first - 1 : part.last]
    return b"\n" * (part.first - 1) + b"\n".join(held) + b"\n"


def _prompts(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield (line, host, command) of every prompt.

    Comments begin with `#` and quotations with `>`: these are prompts only in a text that begins with one.
    """
    top = next((line for line in lines if line.strip()), "")
    begins = _prompt(top) is not None
    for number, line in enumerate(lines, 1):
        match = _prompt(line)
        if match is not None and (begins or line[0] not in _AMBIGUOUS):
            yield number, match["host"] or "", match["command"]


_AMBIGUOUS = "#>%"


def _prompt(line: str) -> re.Match[str] | None:
    match = _PROMPT.match(line[:2_000].rstrip())
    return match if match is not None and _program(match["command"]) in _KNOWN else None


def _program(command: str) -> str:
    words = [word for word in command.split() if "=" not in word and word not in {"sudo", "time", "watch"}]
    return words[0].rpartition("/")[2] if words else ""


_FROM_AFAR = frozenset(
    {Kind.KUBECTL_GET, Kind.KUBECTL_DESCRIBE, Kind.KUBE_EVENTS, Kind.KUBE_OBJECTS, Kind.CONTAINER_LOG}
)
"""What a command asks the cluster for is not about the host it was typed on."""


def meaning(command: str) -> tuple[Kind | None, dict[str, str]]:
    """Return the kind of text that `command` prints, None when its content decides, and what the command names."""
    program = _program(command)
    if program not in _KUBECTL:
        return _KINDS_OF_PROGRAMS.get(program), {}
    try:
        words = shlex.split(command.split("|", 1)[0])
    except ValueError:
        words = command.split("|", 1)[0].split()
    flags, plain = _arguments(words[words.index(next(w for w in words if w.endswith(program))) + 1 :])
    labels = {"namespace": space} if (space := flags.get("-n") or flags.get("--namespace")) else {}
    verb, rest = (plain[0], plain[1:]) if plain else ("", [])
    if verb == "logs":
        kind, _, name = (rest[0] if rest else "").rpartition("/")
        labels |= {"pod": name} if name and kind in {"", "pod", "pods", "po"} else {}
        labels |= {"container": flags["-c"]} if "-c" in flags else {}
        return Kind.CONTAINER_LOG, labels
    if verb == "describe":
        return Kind.KUBECTL_DESCRIBE, labels
    if verb in {"events", "get"} and (verb == "events" or rest[:1] in (["events"], ["event"], ["ev"])):
        return Kind.KUBE_EVENTS, labels
    if verb == "get":
        printed = flags.get("-o") or flags.get("--output") or ""
        return Kind.KUBE_OBJECTS if printed in _OBJECT_FORMATS else Kind.KUBECTL_GET, labels
    return None, labels


_TAKES_VALUE = frozenset(
    {"-n", "--namespace", "-c", "--container", "-o", "--output", "-l", "--selector", "--tail", "--since", "--context",
     "--field-selector", "--sort-by", "--kubeconfig"}
)  # fmt: skip


def _arguments(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the flags with their values, and the words between them."""
    flags: dict[str, str] = {}
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        name, separator, value = word.partition("=")
        if not word.startswith("-"):
            plain.append(word)
        elif separator:
            flags[name] = value
        elif word in _TAKES_VALUE:
            flags[word] = next(rest, "")
        elif word[:2] in {"-o", "-n", "-c"} and len(word) > 2 and not word.startswith("--"):  # noqa: PLR2004 - `-oyaml`
            flags[word[:2]] = word[2:]
    return flags, plain
