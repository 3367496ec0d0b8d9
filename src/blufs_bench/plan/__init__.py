"""What a suite runs: the checked configuration, settings, jobs, resources, code digests."""
