"""What comes from Slack: taken apart, checked, kept before Slack is told that it arrived."""
