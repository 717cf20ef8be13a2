"""Where messages go: the port that the rest of firstfault knows, and Slack, a webhook and a terminal behind it."""
