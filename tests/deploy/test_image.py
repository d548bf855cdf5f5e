"""The container image, as its file says it: pinned, without rights, asked where it answers."""

import json
import re
from typing import Final

import pytest

from tests.deploy.image_root import CONTAINERFILE, context, stages
from tests.tidy.project import PACKAGED, ROOT, project_files

STAGES: Final = stages()
IMAGE: Final = STAGES[""]


def pins(path: str) -> dict[str, str]:
    text = (ROOT / path).read_text("utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, flags=re.MULTILINE))


def test_it_is_made_of_images_with_a_version() -> None:
    (base,) = re.findall(r"^ARG PYTHON=(\S+)$", CONTAINERFILE.read_text(), re.MULTILINE)
    assert re.search(r"/python:\d+\.\d+-", base)
    assert list(STAGES) == ["build", ""]


def test_it_runs_as_a_number_that_is_not_root() -> None:
    user, group = IMAGE.last("USER").split(":")
    assert int(user) > 0
    assert int(group) > 0
    words = [word for word, _ in IMAGE.steps]
    assert "RUN" not in words, "what is left to do in the image would be done as root"


def test_it_serves_and_is_asked_at_the_port_it_answers() -> None:
    assert IMAGE.words("ENTRYPOINT") == ["pitproof"]
    port = IMAGE.last("EXPOSE")
    assert IMAGE.words("CMD") == ["serve", "--listen", f"0.0.0.0:{port}"]
    assert f"http://127.0.0.1:{port}/healthz" in IMAGE.words("HEALTHCHECK")[-1]
    assert IMAGE.environment["PITPROOF_DB"].startswith(json.loads(f'"{IMAGE.last("VOLUME")}"'))


@pytest.mark.parametrize("path", ["deploy/requirements.lock", "deploy/build.lock"])
def test_its_pins_are_those_that_are_tested(path: str) -> None:
    tested = pins("requirements.lock")
    assert pins(path)
    assert {name: one for name, one in pins(path).items() if tested.get(name) != one} == {}


def test_no_tool_of_developers_is_in_it() -> None:
    assert (
        pins("deploy/requirements.lock").keys() & {"pytest", "mypy", "ruff", "hatchling"} == set()
    )


def test_what_it_copies_is_sent_and_nothing_else() -> None:
    copied = [
        name for word, rest in STAGES["build"].steps if word == "COPY" for name in rest.split()[:-1]
    ]
    sent = context()
    assert copied
    for name in copied:
        assert any(one == name or one.startswith(f"{name}/") for one in sent), f"{name} is not sent"
    unused = [
        one for one in sent if not any(one == name or one.startswith(f"{name}/") for name in copied)
    ]
    assert unused == []


def test_every_package_is_in_it() -> None:
    below = tuple(f"{package}/" for package in PACKAGED)
    assert {name for name in project_files() if name.startswith(below)} <= set(context())
