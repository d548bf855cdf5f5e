"""Audit files of JSON lines: `python -m tests.oracle FILE...` prints the report as JSON."""

import json
import sys
import zlib
from pathlib import Path

from tests.oracle.audit import audit_typed, exit_status
from tests.oracle.decode import read_file


def main(names: list[str]) -> int:
    """Audit the files together; nothing is judged where one cannot be read."""
    if not names:
        sys.stderr.write("usage: python -m tests.oracle FILE...\n")
        return 2
    events, dead = [], []
    for name in names:
        try:
            read, refused = read_file(Path(name))
        except (OSError, EOFError, zlib.error) as error:
            sys.stderr.write(f"{name}: cannot be read: {error}\n")
            return 2
        events += read
        dead += refused
    if not events:
        sys.stderr.write(f"{', '.join(names)}: no events, {len(dead)} dead letters\n")
        return 2
    result = audit_typed(events, dead)
    sys.stdout.write(json.dumps(result, indent=1) + "\n")
    return exit_status(result)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
