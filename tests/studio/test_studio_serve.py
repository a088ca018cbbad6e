"""``linksight serve``, as a process."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from linksight.cli import main

SRC = Path(__file__).parents[2] / "src"


@contextmanager
def serving(*options: str):
    """A studio in a process of its own, and what it said until its address."""
    command = [sys.executable, "-m", "linksight", "serve", "--port", "0", *options]
    env = os.environ | {"PYTHONPATH": str(SRC)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as process:
        said = ""
        while "http://" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        try:
            yield process, said
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def test_it_says_where_it_is_answers_and_ends_in_good_order(tmp_path):
    with serving("--data-dir", str(tmp_path / "data")) as (process, said):
        url = re.search(r"http://127\.0\.0\.1:\d+/", said)[0]
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert b"behind a link" in answer.read()
        assert not (tmp_path / "data").exists(), "looking must not make files"
    assert process.returncode in (0, -signal.SIGINT, 130)


def test_on_another_address_a_token_is_made_up_and_demanded(tmp_path):
    with serving("--host", "0.0.0.0", "--data-dir", str(tmp_path)) as (_, said):
        token = re.search(r"token: (\S+)", said)[1]
        port = re.search(r"http://0\.0\.0\.0:(\d+)/", said)[1]
        asked = f"http://127.0.0.1:{port}/v1/detect?url=http://www.lemonde.fr/"
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(asked, timeout=60)
        assert refused.value.code == 401
        refused.value.close()
        request = urllib.request.Request(asked, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert b'"language":"fr"' in answer.read()


def test_the_end_of_a_line_is_no_part_of_a_token(monkeypatch):
    """A secret that was made from a file has one, and nobody can enter it."""
    served = []
    monkeypatch.setattr("linksight.studio.server.run", lambda settings, say: served.append(settings.token))
    done = CliRunner().invoke(main, ["serve"], env={"LINKSIGHT_TOKEN": "of-a-longer-secret\n"})
    assert (done.exit_code, served) == (0, ["of-a-longer-secret"]), done.output


def test_a_port_that_is_taken_is_one_line_of_error(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [sys.executable, "-m", "linksight", "serve", "--port", str(taken.getsockname()[1])]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(SRC)},
                              cwd=tmp_path, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("Error: cannot listen at 127.0.0.1:")
    assert "Traceback" not in done.stderr


def test_no_token_is_shown_where_the_server_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    told = CliRunner().invoke(main, ["serve", "--host", "0.0.0.0"])
    assert (told.exit_code, "token" in told.stderr) == (1, False)
    assert 'pip install "linksight[studio]"' in told.stderr


def test_visitors_who_go_away_are_counted_and_are_no_errors(tmp_path):
    """Each left a traceback in the log, and a server error among the counters."""
    heads = {
        "/v1/detect/stream": b"Transfer-Encoding: chunked\r\n\r\n0d\r\nhttp://a.nl/\n\r\n",
        "/v1/detect/batch": b"Content-Type: text/plain\r\nContent-Length: 1000\r\n\r\nhttp://a.nl/",
        "/inspector": b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n--x\r\n",
    }
    with serving("--data-dir", str(tmp_path)) as (process, said):
        url = re.search(r"http://(127\.0\.0\.1):(\d+)/", said)
        for path, rest in heads.items():
            with socket.create_connection((url[1], int(url[2]))) as client:
                client.sendall(b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s" % (path.encode(), rest))
                if "stream" in path:
                    client.recv(1000)  # the answer has begun
        told = ""
        while told.count('status="499"') < len(heads):
            time.sleep(0.1)
            with urllib.request.urlopen(f"{url[0]}metrics", timeout=60) as answer:
                told = answer.read().decode()
            assert 'status="500"' not in told
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""
