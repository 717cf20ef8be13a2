"""How fast and how large: measurements that are printed, never asserted."""
