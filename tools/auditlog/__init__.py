"""The audit log of the API server: who wrote what, from the file that the server writes or that `firstfault serve` keeps."""
