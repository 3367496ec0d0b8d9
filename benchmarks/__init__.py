"""Speed, evidence and publishing of the project itself: ``python -m benchmarks``."""
