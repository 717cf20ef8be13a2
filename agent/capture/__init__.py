"""What `firstfault capture` writes: answers of live sources as a case folder that can be replayed. Pure."""
