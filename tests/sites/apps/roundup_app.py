"""A real Roundup issue tracker, filled with content, on loopback: ``python roundup_app.py FOLDER PORT``."""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
import warnings
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

warnings.simplefilter("ignore")

from trac_app import sentence  # noqa: E402  the same words as in the other tracker


def install(folder: Path, port: int) -> None:
    """The classic template with its address filled in."""
    from roundup.admin import AdminTool

    shutil.copytree(AdminTool().listTemplates()["classic"]["path"], folder)
    (folder / "db").mkdir(exist_ok=True)
    from roundup.configuration import CoreConfig

    CoreConfig().save(str(folder / "config.ini"))
    text = (folder / "config.ini").read_text()
    given = {"web": f"http://127.0.0.1:{port}/", "domain": "example.org", "backend": "sqlite"}
    for name, value in given.items():
        text = re.sub(rf"(?m)^#? ?{name} =.*", f"{name} = {value}", text)
    text = re.sub(r"(?ms)(\[mail\].*?^)#? ?host =[^\n]*", r"\1host = localhost", text)
    (folder / "config.ini").write_text(text)


def fill(folder: Path) -> None:
    from roundup import instance
    from roundup.password import Password

    os.environ["SENDMAILDEBUG"] = str(folder / "mail.txt")
    tracker = instance.open(str(folder))
    tracker.init(Password("admin", config=tracker.config))
    db = tracker.open("admin")
    rng = random.Random(7)
    people = [
        db.user.create(username=f"person{n}", address=f"p{n}@example.org", roles="User") for n in range(6)
    ]
    words = [db.keyword.create(name=f"word{n}") for n in range(8)]
    priorities, states = db.priority.list(), db.status.list()
    for _ in range(200):
        message = db.msg.create(
            content=sentence(rng, 30), author=rng.choice(people), summary=sentence(rng, 4)
        )
        db.issue.create(
            title=sentence(rng, 5).capitalize(), messages=[message], priority=rng.choice(priorities),
            status=rng.choice(states), keyword=[rng.choice(words)], assignedto=rng.choice(people),
        )  # fmt: skip
    db.commit()
    db.close()


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def main() -> None:
    folder, port = Path(sys.argv[1]), int(sys.argv[2])
    install(folder, port)
    fill(folder)
    from roundup.cgi.wsgi_handler import RequestDispatcher

    make_server("127.0.0.1", port, RequestDispatcher(str(folder)), Server).serve_forever()


if __name__ == "__main__":
    main()
