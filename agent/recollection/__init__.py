"""Past incidents beside the present one: what they share, what differs, how they ended."""
