"""``quizsvc serve``: everything on one machine, by one command."""

import http.client
import ipaddress
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from quizsvc.cli import database, processes
from quizsvc.cli.options import data_option
from quizsvc.cli.refusal import Refusal
from quizsvc.settings import Settings

PATIENCE = 8.0  # seconds for requests and runs to come to an end
START_SECONDS = 60.0


@click.command()
@data_option
@click.option("--host", help="The address to listen on; QUIZ_HOST, else 127.0.0.1.")
@click.option("--port", type=int, help="The port; QUIZ_PORT, else 8000; 0: a free one.")
@click.pass_obj
def serve(settings: Settings, host: str | None, port: int | None) -> None:
    """Start the service: database, questions, web server and worker."""
    settings = replace(
        settings,
        host=settings.host if host is None else host,
        port=settings.port if port is None else port,
    )
    processes.log_to_stderr()
    check_host(settings)
    database.check_folder(settings.data)
    with listen(settings.host, settings.port) as listener:
        settings = replace(settings, port=listener.getsockname()[1])
        run(settings, listener)


def check_host(settings: Settings) -> None:
    """Raise Refusal for an address that other machines reach: nobody signs in here."""
    if settings.accounts:
        raise Refusal("QUIZ_ACCOUNTS=1 asks for accounts, which quizsvc does not have.")
    try:
        local = ipaddress.ip_address(settings.host).is_loopback
    except ValueError:
        local = settings.host == "localhost"
    if not local:
        raise Refusal(
            f"{settings.host} may be reached from other machines; without accounts "
            "quizsvc listens on loopback alone, such as 127.0.0.1."
        )


def listen(host: str, port: int) -> socket.socket:
    """The listening socket; it stays while web servers come and go.

    Raises Refusal when the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or "there is no such port"
        detail = f"Port {port} on {host} cannot be used: {reason}. Choose another with --port."
        raise Refusal(detail) from error
    listener.listen(2048)
    return listener


def run(settings: Settings, listener: socket.socket) -> None:
    """Prepare the database, then keep web server and worker until told to stop.

    The web server loads meanwhile, behind a gate: a request that comes early waits.
    """
    environment = os.environ | settings.environment()
    gate, opened = os.pipe()
    handles = [listener.fileno(), gate]
    stop = processes.Stop()
    with processes.Household(environment, PATIENCE) as household:
        web = household.add(web_command(settings, *handles), handles)
        with stop.interrupting():
            prepare(settings, environment, opened)
        if wait_for(web, settings, stop):
            household.add(["quizsvc.cli", "worker"])
        while not stop.wait(0.25):
            household.tend()


def prepare(settings: Settings, environment: Mapping[str, str], gate: int) -> None:
    """Bring the database up to date; close the gate's descriptor once it may be asked.

    Only experiments that set-up has not listed may come later: that takes long.
    """
    from quizsvc.cli import preparing

    engine = database.connect(settings.database_url)
    catalogue = preparing.start_catalogue(engine, environment)
    database.upgrade(settings)
    preparing.fill_bank(engine, time_zone=settings.time_zone)
    if catalogue is None:
        preparing.fill_lab(engine)
    os.close(gate)
    if catalogue is not None:
        preparing.fill_lab(engine, catalogue)
    engine.dispose()


def wait_for(web: processes.Service, settings: Settings, stop: processes.Stop) -> bool:
    """Say where the service is, once it answers; False when told to stop before.

    Raises Refusal if it never does.
    """
    give_up = time.monotonic() + START_SECONDS
    while not stop.wait(0.02):
        if answers(settings):
            host = f"[{settings.host}]" if ":" in settings.host else settings.host
            click.echo(f"quizsvc is ready: http://{host}:{settings.port}/")
            return True
        if web.process.poll() is not None or time.monotonic() > give_up:
            raise Refusal("The web server does not start; see the messages above.")
    return False


def web_command(settings: Settings, handle: int, gate: int) -> list[str]:
    """Gunicorn on a socket that is open already, and behind a gate.

    The application is built once, before its processes are forked: it must not have
    opened a connection by then.
    """
    memory = Path("/dev/shm")  # noqa: S108 - heartbeats must not wait for a disk
    return [
        "gunicorn",
        f"quizsvc.gate:create_app({gate})",
        *("--bind", f"fd://{handle}"),
        *("--worker-class", "gthread"),
        *("--workers", str(settings.web_workers)),
        *("--threads", str(settings.web_threads)),
        *("--worker-tmp-dir", str(memory if memory.is_dir() else settings.data)),
        *("--graceful-timeout", "5"),
        *("--log-level", "warning"),
        "--no-control-socket",
        "--preload",
    ]


def answers(settings: Settings) -> bool:
    """Whether the web server answers ``/healthz``."""
    connection = http.client.HTTPConnection(settings.host, settings.port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
