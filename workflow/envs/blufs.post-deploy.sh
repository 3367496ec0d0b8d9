#!/usr/bin/env bash
# Install this project's package into the new environment, from where the workflow is: it may run in
# another folder. workflow/rules/common.smk sets the variable.
set -euo pipefail
if [ -f "$BLUFS_SOURCE/pyproject.toml" ]; then
    python -m pip install --quiet --no-deps --editable "$BLUFS_SOURCE"
else # the workflow came without its package
    python -m pip install --quiet --no-deps blufs
fi
