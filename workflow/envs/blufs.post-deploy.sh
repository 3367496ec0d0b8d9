#!/usr/bin/env bash
# Install this project's package into the new environment (jobs start in the project's folder).
set -euo pipefail
python -m pip install --quiet --no-deps --editable "$PWD"
