"""Receivers are settings; their secrets come from environment or file, and are never shown."""

from pathlib import Path
from typing import Any

import pytest

from services.alerts.receivers import receivers_of
from services.errors import BadSettingError
from services.settings import Settings, load_settings

URL = "https://pager.example/hook"


def test_secrets_by_name_by_file_and_for_all(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of a file\n")
    settings = Settings(
        webhooks={"pager": URL, "chat-1": URL, "rest": URL}, alertmanagers={"am": URL}
    )
    environment = {
        "PITPROOF_WEBHOOK_SECRET_PAGER": "its own",
        "PITPROOF_WEBHOOK_SECRET_CHAT_1_FILE": str(tmp_path / "secret"),
        "PITPROOF_WEBHOOK_SECRET": "for all",
    }
    found = receivers_of(settings, environment)
    assert {one.name: one.secret for one in found} == {
        "am": "",
        "chat-1": "of a file",
        "pager": "its own",
        "rest": "for all",
    }
    shown = repr(found)
    assert not any(text in shown for text in ("of a file", "its own", "for all"))


@pytest.mark.parametrize(
    ("settings", "environment", "told"),
    [
        ({"webhooks": {"pager": URL}}, {}, "PITPROOF_WEBHOOK_SECRET_PAGER"),
        ({"webhooks": {"pager": "ftp://x"}}, {}, "webhooks.pager: is not an address"),
        ({"webhooks": {"pager": "https://x:99999"}}, {}, "webhooks.pager: is not an address"),
        ({"webhooks": {"a b": URL}}, {}, "is not a name"),
        ({"alertmanagers": {"am": "http://u:hunter2@x"}}, {}, "do not belong into an address"),
        (
            {"webhooks": {"x": URL}, "alertmanagers": {"x": URL}},
            {"PITPROOF_WEBHOOK_SECRET": "s"},
            "give it two names",
        ),
        (
            {"webhooks": {"x": URL}},
            {"PITPROOF_WEBHOOK_SECRET_FILE": "/nowhere"},
            "PITPROOF_WEBHOOK_SECRET_FILE: /nowhere: cannot be read",
        ),
    ],
)
def test_what_cannot_be_is_said(
    settings: dict[str, Any], environment: dict[str, str], told: str
) -> None:
    with pytest.raises(BadSettingError) as caught:
        receivers_of(Settings(**settings), environment)
    assert told in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_they_are_set_by_file_or_environment(tmp_path: Path) -> None:
    path = tmp_path / "pitproof.toml"
    path.write_text(f'[webhooks]\npager = "{URL}"\n')
    settings = load_settings(str(path), {"PITPROOF_ALERTMANAGERS": "am=http://am:9093"})
    assert (settings.webhooks, settings.alertmanagers) == (
        {"pager": URL},
        {"am": "http://am:9093"},
    )
