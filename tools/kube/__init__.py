"""The Kubernetes read door: get, list and watch over the official client's transport, raw JSON. Nothing here can write."""
