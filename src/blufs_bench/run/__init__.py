"""How a job runs: logging, threads, isolation, seeds, recovery after a kill."""
