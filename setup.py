"""What pyproject.toml cannot say: the page of the package index, and copies of files in the wheel.

The index shows the README without the repository around it: see ``for_index``. The workflow needs
some files of the project also where it runs as a ``module:`` from elsewhere: see ``ProjectFiles``.
"""

import re
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
#: Files that `blufs_bench.plan.read.project_folder` looks for in an installed wheel.
PROJECT_FILES = (
    "config.yaml",
    "data/*.yaml",
    "docs/deviations.md",
    "workflow/schemas/*.yaml",
    "workflow/scripts/*.py",
)


def for_index(readme: str) -> str:
    """The README without pictures and links that are relative to the repository."""
    readme = re.sub(r"^!\[[^\]]*\]\((?!https?://)[^)]*\)\n+", "", readme, flags=re.M)
    return re.sub(r"\[([^\]]*)\]\((?!https?://)[^)]*\)", r"\1", readme)


class ProjectFiles(build_py):
    """Put the project's files into the package, as ``blufs_bench/project/``."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for pattern in PROJECT_FILES:
            for path in sorted(ROOT.glob(pattern)):
                target = Path(self.build_lib, "blufs_bench", "project", path.relative_to(ROOT))
                target.parent.mkdir(parents=True, exist_ok=True)
                self.copy_file(str(path), str(target))


if __name__ == "__main__":
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    setup(
        cmdclass={"build_py": ProjectFiles},
        long_description=for_index(readme),
        long_description_content_type="text/markdown",
    )
