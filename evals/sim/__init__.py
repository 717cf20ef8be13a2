"""Stand-ins that speak the real protocols over loopback: for tests, attacks and figures, never for production."""
