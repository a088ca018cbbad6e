"""A real Trac, filled with content, on loopback: ``python trac_app.py FOLDER PORT``."""

from __future__ import annotations

import random
import sys
import warnings
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

warnings.simplefilter("ignore")
try:
    distribution("multipart")
except PackageNotFoundError:
    # python-multipart, which others need, puts a module of that name in place that Trac cannot use.
    sys.modules["multipart"] = None

WORDS = (
    "parser frontier archive crawler encoding unicode timeout sitemap redirect session cookie header gzip "
    "language trigram smoothing calibration threshold pattern wildcard automaton prefix estimator hub keyword "
    "workbench palette render browser database migration index cursor vacuum replica backup snapshot restore "
    "network socket proxy resolver certificate cipher handshake packet latency throughput queue worker thread "
    "scheduler deadlock mutex semaphore pipeline shard partition quorum leader follower election heartbeat"
).split()


def sentence(rng: random.Random, n: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(n))


def fill(folder: Path) -> None:
    from trac.env import Environment
    from trac.ticket.model import Milestone, Ticket
    from trac.wiki.model import WikiPage

    env = Environment(
        str(folder),
        create=True,
        options=[("project", "name", "Frontier"), ("trac", "database", "sqlite:db/trac.db")],
    )
    env.config.set("trac", "base_url", "")
    env.config.save()
    rng = random.Random(5)
    with env.db_transaction:
        for n in range(25):
            milestone = Milestone(env)
            milestone.name = f"release {n}"
            milestone.description = sentence(rng, 3)
            milestone.insert()
        for _ in range(400):
            ticket = Ticket(env)
            ticket["summary"] = sentence(rng, 5).capitalize()
            ticket["description"] = (
                sentence(rng, 30) + f" see [wiki:{rng.choice(WORDS).title()}{rng.randrange(200)}Notes]"
            )
            ticket["reporter"] = rng.choice(["ana", "bob", "cleo"])
            ticket["milestone"] = f"release {rng.randrange(25)}"
            ticket["status"] = "new"
            ticket.insert(when=datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=rng.randrange(40_000)))
        for n in range(200):
            page = WikiPage(env, f"{WORDS[n % len(WORDS)].title()}{n}Notes")
            page.text = (
                f"= {sentence(rng, 3)} =\n"
                + "\n\n".join(sentence(rng, 40) for _ in range(3))
                + f"\nsee #{rng.randrange(1, 400)}"
            )
            page.save(
                "ana",
                "first",
                t=datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=rng.randrange(40_000)),
            )
    env.shutdown()


def serve(folder: Path, port: int) -> None:
    from socketserver import ThreadingMixIn
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

    from trac.web.main import dispatch_request

    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True

    class Quiet(WSGIRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    def app(environ, start_response):
        environ["trac.env_path"] = str(folder)
        return dispatch_request(environ, start_response)

    make_server("127.0.0.1", port, app, Server, Quiet).serve_forever()


if __name__ == "__main__":
    where = Path(sys.argv[1])
    if not where.exists():
        fill(where)
    serve(where, int(sys.argv[2]))
