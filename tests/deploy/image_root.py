"""The image's steps without a container engine: in a view of this machine, thrown away afterwards.

Each stage of deploy/Containerfile gets a root of its own: this machine's below, an empty layer
above, this Python at /usr/local as the base image has it. COPY and RUN are done in there as
written. What is run then is run as the image says: its user, its environment, its root read-only.
It takes root, and Linux; the base image itself and the engine are not seen.
"""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.tidy.project import ROOT, project_files

CONTAINERFILE: Final = ROOT / "deploy" / "Containerfile"
SECONDS_MAX: Final = 1_800


@dataclass
class Stage:
    """What one FROM begins."""

    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def last(self, word: str) -> str:
        """What the last instruction of that kind says."""
        return [rest for one, rest in self.steps if one == word][-1]

    def words(self, word: str) -> list[str]:
        """The same, of an instruction that holds a JSON list."""
        found: list[str] = json.loads(self.last(word).partition("CMD ")[2] or self.last(word))
        return found

    @property
    def environment(self) -> dict[str, str]:
        """What ENV sets."""
        pairs = [
            pair.partition("=") for one, rest in self.steps if one == "ENV" for pair in rest.split()
        ]
        return {name: value for name, _, value in pairs}


def stages() -> dict[str, Stage]:
    """The stages by name; the last has none."""
    found: dict[str, Stage] = {}
    for line in CONTAINERFILE.read_text("utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        word, rest = line.split(" ", 1)
        if word == "FROM":
            name = rest.partition(" AS ")[2]
            found[name] = Stage(name)
        elif found:
            found[list(found)[-1]].steps.append((word, rest))
    return found


def context() -> list[str]:
    """Files that the engine would be sent: what `.dockerignore` lets through."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    taken = tuple(line[1:] for line in lines if line.startswith("!"))
    return [
        name
        for name in project_files()
        if any(name == one or name.startswith(f"{one}/") for one in taken)
    ]


class Image:
    """The image as its steps leave it, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stages = stages()

    @property
    def files(self) -> Path:
        """What the image holds beside its base."""
        return self._folder / "image" / "upper"

    def build(self) -> None:
        """Do every step."""
        sources = self._folder / "context"
        for name in context():
            copy = sources / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes((ROOT / name).read_bytes())
        for stage in self._stages.values():
            self._in_root(stage.name or "image", self._script(stage, sources))

    def run(
        self, *words: str, data: Path, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """A command as the container has it: user, environment, read-only root, /data and /tmp."""
        stage = self._stages[""]
        uid, gid = stage.last("USER").split(":")
        path = stage.environment["PATH"].replace("$PATH", "/usr/local/bin:/usr/bin:/bin")
        values = {**stage.environment, "PATH": path, **(environment or {})}
        values["LD_LIBRARY_PATH"] = "/usr/local/lib"  # this Python's own, wherever it was built for
        drop = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs"]
        called = [*drop, "--bounding-set=-all", "--inh-caps=-all", *words]
        inside = shlex.quote(f"cd {stage.last('WORKDIR')} && exec {shlex.join(called)}")
        script = [
            f"mount --bind {shlex.quote(str(data))} root/data",
            "mount -t tmpfs tmpfs root/tmp",
            "mount -o remount,bind,ro root",
            f"exec chroot root env -i {_pairs(values)} sh -c {inside}",
        ]
        return self._enter("image", script)

    def health(self, port: int) -> list[str]:
        """The health check's words, asking at another port."""
        (here,) = self._stages[""].last("EXPOSE").split()
        return [word.replace(here, str(port)) for word in self._stages[""].words("HEALTHCHECK")]

    def _script(self, stage: Stage, sources: Path) -> list[str]:
        here, script = "/", []
        for word, rest in stage.steps:
            if word == "WORKDIR":
                here = rest
                script.append(f"mkdir -p root{here}")
            elif word == "COPY":
                script += self._copy(rest.split(), here, sources)
            elif word == "RUN":
                done = f"cd {here} && {rest}"
                script.append(f"chroot root sh -ec {shlex.quote(done)}")
        return script

    def _copy(self, words: list[str], here: str, sources: Path) -> list[str]:
        """COPY, of the context or of another stage; a folder's content goes into the target."""
        base = sources
        if words[0].startswith("--from="):
            base = self._folder / words.pop(0).removeprefix("--from=") / "upper"
        *names, target = words
        into = f"root{os.path.join(here, target)}"
        lines = []
        for name in names:
            source = base / name.lstrip("/")
            if source.is_dir() or base != sources:
                lines.append(f"mkdir -p {into} && cp -a {source}/. {into}/")
            else:
                lines.append(f"mkdir -p {into} && cp -a {source} {into}/")
        return lines

    def _in_root(self, name: str, script: Sequence[str]) -> None:
        ended = self._enter(name, script)
        assert ended.returncode == 0, ended.stdout + ended.stderr

    def _enter(self, name: str, script: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run lines in a view of this machine whose changes lie in `name`/upper."""
        here = self._folder / name
        for part in ("upper", "work", "root"):
            (here / part).mkdir(parents=True, exist_ok=True)
        view = [
            "set -e",
            "mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root",
            "mount --rbind /dev root/dev && mount -t proc proc root/proc",
        ]
        if sys.base_prefix != "/usr":  # as the base image has it
            view.append(f"mount --bind {sys.base_prefix} root/usr/local")
        text = "\n".join([*view, *script])
        return subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", text],
            cwd=here,
            env={**os.environ, "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
            check=False,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
        )


def _pairs(values: Mapping[str, str]) -> str:
    return " ".join(shlex.quote(f"{name}={value}") for name, value in values.items())
