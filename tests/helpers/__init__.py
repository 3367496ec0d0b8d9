"""What several tests share."""

from pathlib import Path

#: The folder of the project.
ROOT = Path(__file__).parents[2]
