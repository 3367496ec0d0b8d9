"""How fast: ratios taken in one run, written to benchmarks/results/."""
