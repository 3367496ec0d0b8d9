"""The package index shows the README without the repository around it: see ``for_index``.

Everything else is in pyproject.toml.
"""

import re
from pathlib import Path

from setuptools import setup


def for_index(readme: str) -> str:
    """The README without pictures and links that are relative to the repository."""
    readme = re.sub(r"^!\[[^\]]*\]\((?!https?://)[^)]*\)\n+", "", readme, flags=re.M)
    return re.sub(r"\[([^\]]*)\]\((?!https?://)[^)]*\)", r"\1", readme)


if __name__ == "__main__":
    readme = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    setup(long_description=for_index(readme), long_description_content_type="text/markdown")
