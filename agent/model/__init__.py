"""The model: one port, one door to it, budgets, recordings of its answers and its prompts."""
