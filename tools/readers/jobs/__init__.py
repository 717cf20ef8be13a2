"""Reads what schedulers and training runtimes say about jobs, and where things sit."""
