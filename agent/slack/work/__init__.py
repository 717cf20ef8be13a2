"""What was asked for by people: commands, questions, dry runs; from the database, the same after a crash."""
