"""The Kubernetes read door: get and list over the official client's transport, raw JSON. Nothing here can write."""
