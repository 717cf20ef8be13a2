"""Fuzzes every reader, guided by coverage where the fuzzer is installed. Run as a program; arguments are libFuzzer's."""

import importlib
import importlib.util
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

INSTRUMENTED = ["firstfault.tools.readers", "firstfault.tools.stamps", "firstfault.tools.recording.sniffing"]


def mutated(rounds: int, lines: Sequence[str], one_input: Callable[[bytes], None]) -> None:
    """Read `rounds` inputs made by cutting and joining what tools print; the same ones every time."""
    chance = random.Random(0)  # noqa: S311 - repeatable, not secret
    for _ in range(rounds):
        text = "\n".join(chance.choice(lines) for _ in range(chance.randrange(12)))
        data = bytearray(chance.randbytes(2) + text.encode())
        for _ in range(chance.randrange(6)):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.randrange(8)] = chance.randbytes(chance.randrange(4))
        one_input(bytes(data))


def main(arguments: list[str]) -> None:
    """Run the fuzzer for a bounded number of inputs: `-runs=N`, a quarter of them mutated from what tools print."""
    rounds = next(
        (int(each.removeprefix("-runs=")) for each in arguments if each.startswith("-runs=")), 1_000
    )
    atheris = importlib.import_module("atheris") if importlib.util.find_spec("atheris") is not None else None
    watching: AbstractContextManager[object] = nullcontext()
    if atheris is not None:
        watching = cast("AbstractContextManager[object]", atheris.instrument_imports(include=INSTRUMENTED))
    with watching:
        inputs = importlib.import_module("tests.properties.reader_inputs")
    mutated(rounds // 4, inputs.fragments(), inputs.one_input)
    if atheris is not None:
        atheris.Setup([sys.argv[0], *arguments], inputs.one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
