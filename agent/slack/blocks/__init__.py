"""What is said in Slack, built by pure functions: reports, standings and answers to Block Kit."""
