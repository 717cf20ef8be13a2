"""The window of the on-call in Slack: the only door to slack_bolt and slack_sdk."""
