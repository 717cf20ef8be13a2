"""The check that every sentence of a model must pass: pure, by code, against what is stored."""
