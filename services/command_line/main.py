"""The entry point of `pitproof`, and where every failure of a command ends.

Exit statuses: 0 done, 1 something was found, 2 could not, 130 after Ctrl-C. Nothing is imported up
here that Ctrl-C could fall into: whatever a call needs is imported once the call is guarded.
"""

from __future__ import annotations

import gc
import sys

from services.command_line import interrupts

TYPE_CHECKING = False  # as type checkers know it, without the import of a module
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

COULD_NOT = 2
GARBAGE_OBJECTS = 100_000  # events are not cyclic: to look through them for garbage costs a tenth
QUERY_INTERRUPTED = "Query interrupted"  # what DuckDB makes of Ctrl-C, as a RuntimeError


def run() -> None:
    """Entry point of the command."""
    interrupts.take()
    gc.set_threshold(GARBAGE_OBJECTS)
    status = main(sys.argv[1:], in_its_own_process=True)
    interrupts.no_more()
    _leave(status)


def main(arguments: Sequence[str], *, in_its_own_process: bool = False) -> int:
    """Run one command; returns its exit status, and raises nothing.

    `in_its_own_process`: the standard streams are the command's own, and are made ready first.
    """
    try:
        return _guarded(arguments, in_its_own_process=in_its_own_process)
    except KeyboardInterrupt:
        return interrupts.ended()


def _leave(status: int) -> NoReturn:
    """End the process without taking the interpreter apart, which takes a tenth of a small audit.

    What is to be done at the end is done: threads are waited for, files flushed.
    """
    import atexit
    import os
    import threading

    threading._shutdown()  # type: ignore[attr-defined] # as the interpreter itself does it
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass  # whoever was to read it is gone, and was told what could be told
    os._exit(status)


def _guarded(arguments: Sequence[str], *, in_its_own_process: bool) -> int:
    """The exit status, whatever goes wrong, but Ctrl-C that arrives as such."""
    try:
        if in_its_own_process:
            from services.command_line.streams import make_ready

            make_ready()
        return _called(arguments)
    except Exception as error:
        if interrupts.noted() or _is_broken_off_query(error):
            return interrupts.ended()
        return _failed(error)


def _called(arguments: Sequence[str]) -> int:
    """The status that a command ends with by itself."""
    import typer
    import typer.main

    from services.command_line.app import app_for
    from services.command_line.output import flush_standard_output
    from services.command_line.plain_parameters import take_as_given

    take_as_given()
    try:
        command = typer.main.get_command(app_for(arguments))
        with command.make_context("pitproof", list(arguments)) as context:
            given = command.invoke(context)
        status = given if isinstance(given, int) else 0
    except typer.Exit as ended:
        status = ended.exit_code
    flush_standard_output()
    return status


def _is_broken_off_query(error: Exception) -> bool:
    return isinstance(error, RuntimeError) and str(error) == QUERY_INTERRUPTED


def _failed(error: Exception) -> int:
    """Say what went wrong; returns the exit status."""
    import typer

    from services.command_line.output import remark, silence_standard_output
    from services.errors import PitproofError

    if isinstance(error, BrokenPipeError):
        silence_standard_output()
        return 0
    if isinstance(error, PitproofError):
        remark(_worded(error.message, error.next_step))
    elif isinstance(error, typer.TyperException):
        remark(_worded(error.format_message(), _usage_hint(error)))
    elif isinstance(error, MemoryError):
        remark(_worded("not enough memory", "close other programs, or audit fewer files at a time"))
    else:
        # A fault of the program's own. The interpreter would end with 1, which says "findings".
        import traceback

        remark("".join(traceback.format_exception(error)))
        remark(_worded("a fault of pitproof itself, shown above", "please report it with the call"))
    return COULD_NOT


def _worded(message: str, next_step: str) -> str:
    lines = [f"pitproof: {message}", *([next_step] if next_step else [])]
    return "\n  ".join(lines)


def _usage_hint(error: object) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "pitproof"
    return f"see {path} --help"
