"""One verb per module: what each node of the graph does with the workshop, and what it leaves in the audit."""
