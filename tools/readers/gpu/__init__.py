"""Reads what GPU tools print: nvidia-smi and dcgmi in all their forms."""
