"""The gate as the agent uses it: files read, facts joined, one recommendation put before `firstfault.policies.decide`."""
