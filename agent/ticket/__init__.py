"""A bundle for the vendor's ticket: what to write, and the evidence to attach. Advice: nothing is opened or sent."""
