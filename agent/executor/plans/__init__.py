"""One module for each remedy: what is there now in, a plan out. Pure; nothing is sent."""

from firstfault.agent.executor.plans.planning import plan_for

__all__ = ["plan_for"]
