"""A job of thousands of ranks that died with a collective time-out: one fault came first, everybody shouts.

Made from a seed, the same every time: `python -m firstfault.evals.sim.headline FOLDER --seed 0`.
"""
