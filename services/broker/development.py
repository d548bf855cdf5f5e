"""The broker that stands by while someone works: `pitproof kafka up` and `down`.

It runs on after `up`. Which folders have one is noted beside the jars, so that `down` finds them.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.broker.broker import Broker
from services.broker.config import BrokerConfig, Listener
from services.broker.errors import BrokerFolderError
from services.broker.jars import Say, cache_folder
from services.broker.plan import FILE_NAME, Plan, read_plan, write_plan
from services.broker.processes import is_running, stop_processes

_NODE_FOLDERS: Final = "node-*"


@dataclass(frozen=True, slots=True)
class Standing:
    """A broker that runs, or was stopped."""

    directory: Path
    bootstrap_servers: str
    was_running: bool


def up(nodes: int, port: int, directory: Path | None, say: Say) -> Standing:
    """Start a broker and leave it running; one that runs there as asked for is left alone.

    Raises:
        PitproofError: it cannot be started; nothing is left running then.
    """
    folder = _folder(directory)
    running = _running(folder)
    if running is not None:
        _check_as_asked(running, nodes, port, folder)
        return Standing(folder, running.servers(Listener.PLAINTEXT), was_running=True)
    broker = Broker(nodes, BrokerConfig(directory=folder, port=port), say=say)
    broker.open()
    try:
        servers = broker.bootstrap_servers
        _note(folder, say)
    except BaseException:
        broker.stop()
        raise
    broker.let_go()
    return Standing(folder, servers, was_running=False)


def down(directory: Path | None, *, delete: bool) -> list[Standing]:
    """Stop the broker of a folder, or every one that `up` left running; returns those found.

    With `delete`, what they hold goes as well.

    Raises:
        BrokerFolderError: a folder cannot be read or emptied.
    """
    if directory is not None:
        folders = [_folder(directory)]
    else:
        folders = sorted({_folder(None), *_noted()})
    found = [one for folder in folders if (one := _take_down(folder, delete=delete)) is not None]
    for folder in folders:
        with contextlib.suppress(OSError):
            _note_path(folder).unlink(missing_ok=True)
    return found


def _take_down(folder: Path, *, delete: bool) -> Standing | None:
    plan = read_plan(folder)
    if plan is None:
        return None
    running = _running(folder) is not None
    # A node without the others waits for them before it stops: all are told at the same time.
    stop_processes([n.process_id for n in plan.nodes if n.process_id], str(folder))
    for node in plan.nodes:
        plan = plan.with_process(node.node_id, None)
    try:
        if delete:
            for data in folder.glob(_NODE_FOLDERS):
                shutil.rmtree(data)
            (folder / FILE_NAME).unlink()
        else:
            write_plan(folder, plan)
    except OSError as error:
        raise BrokerFolderError(
            f"{folder}: stopped, but not tidied: {error.strerror or error}",
            next_step="remove the folder by hand",
        ) from error
    return Standing(folder, plan.servers(Listener.PLAINTEXT), was_running=running)


def _check_as_asked(running: Plan, nodes: int, port: int, folder: Path) -> None:
    first = running.node(1).ports[Listener.PLAINTEXT]
    alive, count = _alive(running, folder), len(running.nodes)
    if (count, first, alive) != (nodes, port, count):
        raise BrokerFolderError(
            f"{folder}: a broker runs there already, at port {first}, {alive} of {count} nodes",
            next_step="stop it first: pitproof kafka down",
        )


def _running(folder: Path) -> Plan | None:
    """The plan of the broker that runs there, also if only some of its nodes do."""
    plan = read_plan(folder)
    return plan if plan is not None and _alive(plan, folder) else None


def _alive(plan: Plan, folder: Path) -> int:
    return sum(
        one.process_id is not None and is_running(one.process_id, str(folder)) for one in plan.nodes
    )


def _folder(directory: Path | None) -> Path:
    return (directory or cache_folder() / "broker").resolve()


def _note_path(folder: Path) -> Path:
    name = hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return cache_folder() / "running" / name


def _note(folder: Path, say: Say) -> None:
    path = _note_path(folder)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(folder), encoding="utf-8", errors="surrogateescape")
    except OSError:
        say(f"no note could be kept in {path.parent}: stop it with --dir {folder}")


def _noted() -> list[Path]:
    notes = (cache_folder() / "running").glob("*")
    return [Path(one.read_text(encoding="utf-8", errors="surrogateescape")) for one in notes]
