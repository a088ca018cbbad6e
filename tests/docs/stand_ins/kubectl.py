"""Stands in for ``kubectl``: reads the kustomization, and checks what the command names against it."""

import json
import sys
from pathlib import Path

import yaml

words = sys.argv[1:]
folder = Path("deploy/kubernetes")
plan = yaml.safe_load((folder / "kustomization.yaml").read_text())
found = [one for name in plan["resources"] for one in yaml.safe_load_all((folder / name).read_text())]
if words[0] == "apply":
    assert words[1:] == ["-k", str(folder)], words
    assert all(one["apiVersion"] and one["kind"] and one["metadata"]["name"] for one in found)
else:
    space, kind, name, change = words[1], words[3], words[4], json.loads(words[6])
    assert [words[0], words[2], words[5]] == ["-n", "patch", "-p"], words
    assert space == plan.get("namespace"), plan
    (job,) = (one for one in found if one["kind"].lower() == kind and one["metadata"]["name"] == name)
    assert change["spec"].keys() <= job["spec"].keys()
