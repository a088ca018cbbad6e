"""The files for many machines: their syntax, what they refer to, and the worker's command itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

import linksight

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
ENVIRONMENT = {"CRAWL_STORE", "CRAWL_LANGUAGE", "CRAWL_SEEDS", "LINKSIGHT_CONTACT"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


@pytest.fixture(scope="module")
def objects() -> dict[tuple[str, str], dict[str, Any]]:
    names = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text())["resources"]
    found = [one for name in names for one in yaml.safe_load_all((DEPLOY / "kubernetes" / name).read_text())]
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


def test_compose_refers_to_what_is_there(compose):
    worker = compose["services"]["worker"]
    assert set(worker["environment"]) >= ENVIRONMENT
    assert set(worker["depends_on"]) <= set(compose["services"])
    for service in compose["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (DEPLOY / source).exists(), volume
    assert (DEPLOY / worker["build"]["context"] / worker["build"]["dockerfile"]).is_file()
    assert (
        f"COPY deploy/worker.sh /usr/local/bin/{worker['command'][0]}" in (DEPLOY / "Dockerfile").read_text()
    )
    assert "@database/" in worker["environment"]["CRAWL_STORE"]


def test_a_password_may_hold_what_means_something_in_an_address(compose, objects):
    """It goes beside the address: one with an @ in it was read as the name of another host."""
    worker = compose["services"]["worker"]["environment"]
    assert worker["PGPASSWORD"] == compose["services"]["database"]["environment"]["POSTGRES_PASSWORD"]
    container = objects["Job", "worker"]["spec"]["template"]["spec"]["containers"][0]
    given = {entry["name"]: entry for entry in container["env"]}
    assert given["PGPASSWORD"]["valueFrom"]["secretKeyRef"] == {"name": "database", "key": "password"}
    for address in (worker["CRAWL_STORE"], given["CRAWL_STORE"]["value"]):
        assert address == "postgresql://crawler@database/crawl"


def test_dockerfile_copies_what_is_there():
    for line in (DEPLOY / "Dockerfile").read_text().splitlines():
        if line.startswith("COPY ") and "--from=" not in line:
            for name in line.split()[1:-1]:
                if name != "README.md":
                    assert (ROOT / name).exists(), name


def test_kubernetes_refers_to_what_is_there(objects):
    for (kind, name), one in objects.items():
        assert one["apiVersion"] in ("v1", "apps/v1", "batch/v1")
        if kind not in ("StatefulSet", "Job"):
            continue
        spec, pod = one["spec"], one["spec"]["template"]
        if kind == "StatefulSet":
            assert spec["selector"]["matchLabels"] == pod["metadata"]["labels"]
            assert objects["Service", spec["serviceName"]]["spec"]["selector"] == pod["metadata"]["labels"]
        volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes", [])}
        for volume in volumes.values():
            claim = volume.get("persistentVolumeClaim", {}).get("claimName")
            assert claim is None or ("PersistentVolumeClaim", claim) in objects
        volumes |= {claim["metadata"]["name"]: claim for claim in spec.get("volumeClaimTemplates", ())}
        for container in pod["spec"]["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} <= set(volumes)
            for entry in container["env"]:
                if "valueFrom" in entry:
                    wanted = entry["valueFrom"]["secretKeyRef"]
                    assert wanted["key"] in objects["Secret", wanted["name"]]["stringData"], (name, entry)


def test_kustomization_names_files_and_images_that_are_there(objects):
    folder = DEPLOY / "kubernetes"
    plan = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert {path.name for path in folder.glob("*.yaml")} == {*plan["resources"], "kustomization.yaml"}
    images = {
        container["image"]
        for one in objects.values()
        if one["kind"] in ("StatefulSet", "Job")
        for container in one["spec"]["template"]["spec"]["containers"]
    }
    assert {image["name"] for image in plan["images"]} <= images
    if shutil.which("kubectl"):  # a client builds it without a cluster
        done = subprocess.run(
            ["kubectl", "kustomize", folder], capture_output=True, text=True, check=False, timeout=600
        )
        assert done.returncode == 0, done.stderr
        assert "registry.example/linksight:latest" in done.stdout


def test_workers_of_kubernetes_end_with_the_crawl(objects):
    spec = objects["Job", "worker"]["spec"]
    assert (spec["completionMode"], spec["completions"]) == ("Indexed", spec["parallelism"])
    container = spec["template"]["spec"]["containers"][0]
    options = {entry["name"]: entry.get("value", "") for entry in container["env"]}["CRAWL_OPTIONS"].split()
    port = container["ports"][0]["containerPort"]
    assert options[options.index("--metrics-port") + 1] == str(port)
    assert options[options.index("--metrics-address") + 1] == "0.0.0.0"
    assert options[options.index("--max-pages") + 1] == "0"
    assert {container[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe")} == {
        "/metrics"
    }


def test_the_dashboard_shows_metrics_that_a_crawl_has():
    from linksight.crawl.monitor.prometheus import metrics_text
    from linksight.crawl.monitor.stats import Tally

    board = json.loads((DEPLOY / "grafana" / "crawl.json").read_text())
    shown = {name for panel in board["panels"] for target in panel["targets"]
             for name in re.findall(r"linksight_\w+", target["expr"])}  # fmt: skip
    tally = Tally("nl", worker="w", reasons=Counter(seed=1), languages=Counter(nl=1))
    served = {line.partition("{")[0] for line in metrics_text(tally).splitlines() if line[:1] != "#"}
    assert shown
    assert shown <= served


def test_worker_of_kubernetes_is_that_of_compose(objects, compose):
    container = objects["Job", "worker"]["spec"]["template"]["spec"]["containers"][0]
    assert container["command"] == compose["services"]["worker"]["command"]
    assert {entry["name"] for entry in container["env"]} == set(compose["services"]["worker"]["environment"])


@pytest.mark.postgres
def test_two_workers_share_one_crawl_and_go_on_after_a_stop(fresh_postgres, tmp_path):
    """The command of the container, run directly: no page is fetched twice, none is lost."""
    source = str(Path(linksight.__file__).parents[1])
    base = os.environ | {"PYTHONPATH": source, "PYTHONWARNINGS": "ignore"}
    serve = [sys.executable, str(ROOT / "benchmarks" / "local_web.py"), "--hosts", "6", "--pages", "8"]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, env=base)
    try:
        (tmp_path / "seeds.txt").write_text(f"# one\n{server.stdout.readline()}")
        environment = base | {
            "CRAWL_STORE": fresh_postgres(), "CRAWL_LANGUAGE": "nl", "CRAWL_SEEDS": str(tmp_path / "seeds.txt"),
            "CRAWL_FOLDER": str(tmp_path), "LINKSIGHT": f"{sys.executable} -m linksight",
            "CRAWL_OPTIONS": "--allow-private --no-robots --delay 0 --strategy breadth-first --sample 0 --no-sitemaps",
        }  # fmt: skip
        script = str(DEPLOY / "worker.sh")

        def start(name: str) -> subprocess.Popen[str]:
            return subprocess.Popen(
                ["sh", script], env=environment | {"WORKER": name}, text=True, stderr=subprocess.PIPE
            )

        both = [start("one"), start("two")]
        for process in both:
            _, messages = process.communicate(timeout=600)
            assert process.returncode == 0, messages
        again = start("one")  # a container that is started again finds its crawl
        _, messages = again.communicate(timeout=600)
        assert again.returncode == 0, messages
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate()
    fetched = _pages(tmp_path)
    assert len(fetched) == len(set(fetched)) == 48
    assert all((tmp_path / name / "crawl.json").exists() for name in ("one", "two"))


def _pages(folder: Path) -> list[str]:
    from warcio.archiveiterator import ArchiveIterator

    found = []
    for path in sorted(folder.rglob("*.warc.gz")):
        with path.open("rb") as stream:
            found += [
                record.rec_headers.get_header("WARC-Target-URI")
                for record in ArchiveIterator(stream)
                if record.rec_type == "response"
            ]
    return [url for url in found if not url.endswith("robots.txt")]
