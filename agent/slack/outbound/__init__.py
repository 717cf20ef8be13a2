"""What is to be shown, made safe, and made equal to what stands in Slack."""
