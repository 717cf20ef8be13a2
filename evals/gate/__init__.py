"""The gate tried out: a reference world, tables of situations that sites can write, the matrix, the benchmark."""
