"""Hands a command, its files, folder and environment to doc_server.py, and ends as it did."""

import json
import os
import socket
import sys


def asked(where: str, words: list[str]) -> int:
    """The exit status of a command that the server at ``where`` ran here."""
    with socket.socket(socket.AF_UNIX) as call:
        call.connect(where)
        command = {"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109
        socket.send_fds(call, [json.dumps(command).encode()], [0, 1, 2])
        status = call.recv(1)
    return status[0] if status else 1


if __name__ == "__main__":
    sys.exit(asked(sys.argv[1], sys.argv[2:]))
