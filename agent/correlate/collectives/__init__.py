"""Which rank: the lines and dumps of all ranks of a job, reduced to suspects, as signals named `collective.…`. Pure.

A collective time-out names the ranks that wait. The suspect is another one: silent, behind in its counters, at another
operation, failed before anybody waited, or the end of the path that most of them cannot reach. What torchrun calls the
root cause is the first failure on its own node only, and never makes a suspect here.
"""

from firstfault.agent.correlate.collectives.reduction import collective_signals

__all__ = ["collective_signals"]
