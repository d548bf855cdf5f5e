"""Processes are ended, those meant and no others, however the one who started them ends."""

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.broker.processes import Guard, is_running, stop_processes

PATIENCE_SECONDS = 20
SLEEPER = "import time, sys; print(flush=True); time.sleep(600)"
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);" + SLEEPER


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


def start(program: str, marker: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", program, marker], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_process_is_known_by_what_it_runs(started: list[subprocess.Popen[bytes]]) -> None:
    process = start(SLEEPER, "this-marker")
    started.append(process)
    assert is_running(process.pid, "this-marker")
    assert not is_running(process.pid, "that-marker")
    process.kill()
    process.wait()
    assert not is_running(process.pid, "this-marker")


def test_those_of_another_marker_are_left_alone(started: list[subprocess.Popen[bytes]]) -> None:
    meant, other = start(SLEEPER, "meant"), start(SLEEPER, "other")
    started += [meant, other]
    stop_processes([meant.pid, other.pid], "meant")
    assert meant.wait(PATIENCE_SECONDS) != 0
    assert other.poll() is None


def test_the_deaf_are_ended_by_force(
    started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.broker.processes.CLEAN_SECONDS_MAX", 0.5)
    process = start(DEAF, "deaf")
    started.append(process)
    stop_processes([process.pid], "deaf")
    assert process.wait(PATIENCE_SECONDS) == -9


def test_the_guard_ends_what_a_killed_owner_left(tmp_path: Path) -> None:
    folder = tmp_path / "left"
    folder.mkdir()
    owner = textwrap.dedent(f"""
        import os, subprocess, sys
        from pathlib import Path
        from services.broker.processes import Guard
        guard = Guard(Path({str(folder)!r}))
        child = subprocess.Popen([sys.executable, "-c", {SLEEPER!r}, "left"],
            stdout=subprocess.DEVNULL, start_new_session=True)
        guard.watch([child.pid])
        print(child.pid, flush=True)
        os.kill(os.getpid(), 9)
    """)
    ended = subprocess.run([sys.executable, "-c", owner], check=False, capture_output=True)
    assert ended.returncode == -9
    child = int(ended.stdout)
    until = time.monotonic() + PATIENCE_SECONDS
    while (is_running(child, "left") or folder.exists()) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(child, "left")
    assert not folder.exists()


def test_the_guard_lets_go(started: list[subprocess.Popen[bytes]], tmp_path: Path) -> None:
    process = start(SLEEPER, "released")
    started.append(process)
    guard = Guard(tmp_path)
    guard.watch([process.pid])
    guard.release()
    assert process.poll() is None
    assert os.path.isdir(tmp_path)
