"""What the broker is run with: Java and the jars, and what is said where they are missing."""

import os
from pathlib import Path

import pytest

from services.broker.errors import BrokerUnavailableError
from services.broker.jars import KAFKA, fetch_jars
from services.broker.java import find_java


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the PATH, and an empty cache."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return folder


def put(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_without_java_it_is_said_what_to_install(tools: Path) -> None:
    with pytest.raises(BrokerUnavailableError, match="no java") as refused:
        find_java()
    assert "17 or newer" in refused.value.next_step


@pytest.mark.parametrize(
    "told", ['openjdk version "17.0.15" 2025-04-15', 'java version "25"', 'x version "21-ea"']
)
def test_a_java_new_enough_is_taken(tools: Path, told: str) -> None:
    java = put(tools / "java", f"echo '{told}' >&2")
    assert find_java() == java


@pytest.mark.parametrize(
    ("says", "answer"),
    [
        ("echo 'openjdk version \"11.0.2\"' >&2", "is Java 11"),
        ("echo 'java version \"1.8.0_402\"' >&2", "is Java 8"),
        ("echo The operation could not be completed", "does not say its version"),
    ],
)
def test_another_java_is_refused(tools: Path, says: str, answer: str) -> None:
    put(tools / "java", says)
    with pytest.raises(BrokerUnavailableError, match=answer):
        find_java()


def test_java_home_comes_first(
    tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tools / "java", "echo 'version \"11\"'")
    java = put(tmp_path / "home" / "bin" / "java", "echo 'version \"17\"'")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java() == java


def test_without_maven_it_is_said_what_to_install(tools: Path) -> None:
    with pytest.raises(BrokerUnavailableError, match="no mvn") as refused:
        fetch_jars()
    assert "Apache Maven" in refused.value.next_step


def test_what_maven_says_is_passed_on_and_nothing_is_left(tools: Path, tmp_path: Path) -> None:
    put(tools / "mvn", "echo '[ERROR] no such host'; exit 1")
    with pytest.raises(BrokerUnavailableError, match="no such host"):
        fetch_jars()
    assert os.listdir(tmp_path / "cache" / "pitproof" / "kafka") == ["jars.lock"]


def test_the_jars_are_fetched_once(tools: Path, tmp_path: Path) -> None:
    brings = f"""
        for word; do case $word in -DoutputDirectory=*) folder=${{word#*=}};; esac; done
        /bin/mkdir "$folder"
        : > "$folder/kafka_2.13-{KAFKA}.jar"
        echo called >> {tmp_path}/calls"""
    put(tools / "mvn", brings)
    said: list[str] = []
    jars = [fetch_jars(said.append), fetch_jars(said.append)]
    assert jars == [tmp_path / "cache" / "pitproof" / "kafka" / f"jars-{KAFKA}"] * 2
    assert os.listdir(jars[0]) == [f"kafka_2.13-{KAFKA}.jar"]
    assert (tmp_path / "calls").read_text() == "called\n"
    assert len(said) == 1


def test_a_cache_that_cannot_be_written_is_named(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    with pytest.raises(BrokerUnavailableError, match="cache") as refused:
        fetch_jars()
    assert "XDG_CACHE_HOME" in refused.value.next_step
