"""Small hand-written recordings for each class, and the one test that runs them all."""
