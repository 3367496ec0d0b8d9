"""The report of a suite: one HTML page that needs nothing else."""
