"""What a fresh interpreter loads."""

import json
import subprocess
import sys


def loaded_by(*modules: str) -> set[str]:
    """All modules that a new process holds after it has imported these."""
    code = f"import json, sys, {', '.join(modules)}; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout))
