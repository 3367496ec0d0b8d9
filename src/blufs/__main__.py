"""``python -m blufs``."""

import sys

from blufs.cli import main

sys.exit(main())
