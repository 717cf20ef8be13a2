"""Finds the fault that happened first, with evidence: tools see, the agent thinks, policies allow, evals judge."""
