"""Runs one piece of work so that whatever it raises stops only that piece: one bad report must not silence all others."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Guard:
    """Runs work on a thread of its own, one after the other. said: takes one line for the operator."""

    name: str
    said: Callable[[str], None]
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(max_workers=1), repr=False)

    def run(self, what: str, work: Callable[[], object]) -> BaseException | None:
        """Return what the work raised, told to the operator, or None."""
        error = self.pool.submit(work).exception()
        if error is not None:
            why = " ".join(str(error).split()) or "no reason given"
            self.said(f"{self.name}: {what} failed ({type(error).__name__}: {why})")
        return error

    def close(self) -> None:
        """Let go of the thread."""
        self.pool.shutdown()
