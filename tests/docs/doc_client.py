"""Hands a command, its files, folder and environment to doc_server.py, and ends as it did."""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as call:
    call.connect(sys.argv[1])
    asked = {"words": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109
    socket.send_fds(call, [json.dumps(asked).encode()], [0, 1, 2])
    status = call.recv(1)
sys.exit(status[0] if status else 1)
