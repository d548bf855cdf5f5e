"""Finding the Java that runs the broker."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from services.broker.errors import BrokerUnavailableError

JAVA_MIN: Final = 17  # what the class files of Kafka's broker ask for
ANSWER_SECONDS_MAX: Final = 30
INSTALL: Final = (
    f"install a Java runtime {JAVA_MIN} or newer (on Debian: openjdk-{JAVA_MIN}-jre-headless) "
    "and put it on the PATH or into JAVA_HOME"
)

_VERSION: Final = re.compile(r'version "(?:1\.)?(\d+)')  # "17.0.15", "25", and "1.8.0_402" is 8


def find_java() -> Path:
    """The `java` of JAVA_HOME, else of the PATH.

    Raises:
        BrokerUnavailableError: there is none, it does not run, or it is too old.
    """
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    found = found or shutil.which("java")
    if found is None:
        raise BrokerUnavailableError("no java was found to run Kafka with", next_step=INSTALL)
    version = _version_of(found)
    if version < JAVA_MIN:
        raise BrokerUnavailableError(
            f"{found} is Java {version}; Kafka needs {JAVA_MIN} or newer", next_step=INSTALL
        )
    return Path(found)


def _version_of(java: str) -> int:
    try:
        asked = subprocess.run(
            [java, "-version"],
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ANSWER_SECONDS_MAX,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BrokerUnavailableError(f"{java} does not run: {error}", next_step=INSTALL) from error
    told = _VERSION.search(asked.stderr + asked.stdout)
    if told is None:
        raise BrokerUnavailableError(f"{java} does not say its version", next_step=INSTALL)
    return int(told.group(1))
