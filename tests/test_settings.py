"""Settings come from the environment; the secret key is made once."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zoneinfo import available_timezones

import pytest

from quizsvc.settings import Settings, read, secret_key


def test_everything_has_a_default() -> None:
    settings = read({})
    assert settings.data == Path.cwd() / "instance"
    assert settings.database_url == f"sqlite:///{Path.cwd()}/instance/quiz.db"
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert (settings.web_workers, settings.web_threads) == (2, 4)


def test_the_environment_goes_before_defaults(tmp_path: Path) -> None:
    url = "postgresql+psycopg://quiz@db/quiz"
    environment = {
        "QUIZ_DATA": str(tmp_path),
        "QUIZ_DATABASE_URL": url,
        "QUIZ_PORT": "9000",
        "QUIZ_SLOTS": "3",
        "QUIZ_RUN_SECONDS": "1.5",
    }
    settings = read(environment)
    assert (settings.data, settings.database_url) == (tmp_path, url)
    assert (settings.port, settings.slots, settings.run_seconds) == (9000, 3, 1.5)


def test_a_child_process_reads_the_same_settings(tmp_path: Path) -> None:
    settings = read({"QUIZ_PORT": "9000"}, data=tmp_path)
    assert read(settings.environment()) == settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("QUIZ_PORT", "http"),
        ("QUIZ_PORT", "-1"),
        ("QUIZ_SLOTS", "0"),
        ("QUIZ_SLOTS", "1.5"),
        ("QUIZ_RUN_SECONDS", "nan"),
        ("QUIZ_RUN_SECONDS", "inf"),
    ],
)
def test_a_number_that_is_none_is_named(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a number"):
        read({name: value})


def test_the_zone_is_the_one_asked_for_or_a_known_one_of_the_machine() -> None:
    assert read({"QUIZ_TIME_ZONE": "Asia/Shanghai"}).time_zone == "Asia/Shanghai"
    assert read({}).time_zone in available_timezones()
    with pytest.raises(ValueError, match="QUIZ_TIME_ZONE must be a zone"):
        read({"QUIZ_TIME_ZONE": "Shanghai"})


def test_the_secret_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    settings = read({}, data=tmp_path / "new")
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(secret_key, [settings] * 8))
    assert len(keys) == 1
    assert len(keys.pop()) == 64
    files = list(settings.data.iterdir())
    assert [file.name for file in files] == ["secret_key"]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600


def test_a_given_secret_key_is_not_stored(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, database_url="sqlite://", secret_key="given")
    assert secret_key(settings) == "given"
    assert list(tmp_path.iterdir()) == []
