"""Kafka's jars, fetched once with Maven.

Versions are pinned here. Where Maven looks for them is Maven's own configuration.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from services.broker.errors import BrokerUnavailableError

KAFKA: Final = "4.4.0"
SCALA: Final = "2.13"
SLF4J: Final = "1.7.36"  # the line that Kafka itself is built with
DEPENDENCY_PLUGIN: Final = "3.8.1"
FETCH_SECONDS_MAX: Final = 600
LINES_SHOWN_MAX: Final = 8

POM: Final = f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>pitproof</groupId>
  <artifactId>broker</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_{SCALA}</artifactId>
      <version>{KAFKA}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>{SLF4J}</version>
    </dependency>
  </dependencies>
</project>
"""
GOAL: Final = f"org.apache.maven.plugins:maven-dependency-plugin:{DEPENDENCY_PLUGIN}"

Say = Callable[[str], None]


def cache_folder() -> Path:
    """Where jars and the broker of `pitproof kafka up` lie, unless told otherwise.

    Raises:
        BrokerUnavailableError: this user has no home and no XDG_CACHE_HOME.
    """
    told = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(told) if os.path.isabs(told) else Path.home() / ".cache"
    except RuntimeError as error:
        raise BrokerUnavailableError(
            "this user has no home folder to keep Kafka's jars in",
            next_step="set XDG_CACHE_HOME to a folder that can be written",
        ) from error
    return base / "pitproof" / "kafka"


def fetch_jars(say: Say = lambda text: None) -> Path:
    """The folder of Kafka's jars; fetched when it is not there yet.

    Raises:
        BrokerUnavailableError: no Maven, no network, or no room.
    """
    cache = cache_folder()
    jars = cache / f"jars-{KAFKA}"
    if jars.is_dir():
        return jars
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _alone(cache / "jars.lock"):
            if not jars.is_dir():  # someone else may just have done it
                _fetch(jars, say)
    except OSError as error:
        raise BrokerUnavailableError(
            f"{cache}: Kafka's jars cannot be kept there: {error.strerror or error}",
            next_step="set XDG_CACHE_HOME to a folder that can be written and has 100 MB left",
        ) from error
    return jars


def _fetch(jars: Path, say: Say) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise BrokerUnavailableError(
            "no mvn was found to fetch Kafka's jars with",
            next_step="install Apache Maven (on Debian: maven) and put mvn on the PATH",
        )
    say(f"fetching Apache Kafka {KAFKA} with Maven, once, into {jars}")
    with tempfile.TemporaryDirectory(dir=jars.parent, prefix="fetching-") as scratch:
        pom, libraries = Path(scratch) / "pom.xml", Path(scratch) / "jars"
        pom.write_text(POM, encoding="utf-8")
        _run_maven(
            [
                *(maven, "--quiet", "--batch-mode", "--file", str(pom)),
                *(f"{GOAL}:copy-dependencies", "-DincludeScope=runtime"),
                f"-DoutputDirectory={libraries}",
            ]
        )
        if not (libraries / f"kafka_{SCALA}-{KAFKA}.jar").is_file():
            raise BrokerUnavailableError(f"Maven ended well and brought no Kafka {KAFKA}")
        libraries.rename(jars)  # the folder is there whole, or it is not there


def _run_maven(command: list[str]) -> None:
    try:
        ended = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=FETCH_SECONDS_MAX,
        )
    except subprocess.TimeoutExpired as error:
        raise BrokerUnavailableError(
            f"Maven did not fetch Kafka's jars within {FETCH_SECONDS_MAX} s",
            next_step="check the network, then try again: what came is kept by Maven",
        ) from error
    if ended.returncode != 0:
        lines = [line for line in ended.stdout.splitlines() if line.strip()]
        raise BrokerUnavailableError(
            "\n  ".join(["Maven could not fetch Kafka's jars:", *lines[:LINES_SHOWN_MAX]]),
            next_step="check the network and Maven's settings.xml, then try again",
        )


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
