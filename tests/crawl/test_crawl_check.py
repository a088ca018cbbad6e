"""``crawl check``: whatever is changed inside a stored file is found, named, and can be fetched again."""

import gzip
import json
import random
import zlib

import pytest
from click.testing import CliRunner
from sqlalchemy import select, update
from warcio.archiveiterator import ArchiveIterator

from linksight.cli import main
from linksight.crawl.archive.warc_reader import UNPACKABLE, stored_records
from linksight.crawl.archive.warc_records import Exchange, digest, http_head, record
from linksight.crawl.frontier import sql_schema
from linksight.crawl.frontier.heartbeat import Lease
from linksight.crawl.report.crawl_queries import Ledger
from linksight.crawl.run.api import check_crawl
from linksight.errors import CrawlError


@pytest.fixture
def web(local_web):
    with local_web(hosts=4, pages=8) as served:
        yield served


@pytest.fixture
def folder(web, crawl_with):
    """A finished crawl of 32 pages in one file."""
    return crawl_with(seeds=(web.url(0, 0),), strategy="breadth-first", archive_robots=True)[0]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def shared_store(request, tmp_path):
    """A database that crawls in several folders share."""
    is_file = request.param == "sqlite"
    return str(tmp_path / "shared.db") if is_file else request.getfixturevalue("fresh_postgres")()


def test_the_files_of_workers_in_other_folders_are_checked_there(web, crawl_with, shared_store, tmp_path):
    shared = {"seeds": (web.url(0, 0),), "strategy": "breadth-first", "store": shared_store, "sample": 0}
    one, _ = crawl_with(tmp_path / "one", max_pages=10, **shared)
    two, _ = crawl_with(tmp_path / "two", **shared)
    told = CliRunner().invoke(main, ["crawl", "check", str(one)])
    assert told.exit_code == 0, told.output
    assert "1 file of workers in other folders: check them there\n" in told.stderr
    assert check_crawl(one)[0].elsewhere == [only_file(two).name]
    only_file(two).unlink()
    assert check_crawl(two)[0].absent
    assert CliRunner().invoke(main, ["crawl", "check", str(two)]).exit_code == 1


def only_file(folder):
    (path,) = (folder / "warc").glob("*.warc.gz")
    return path


def places(path, kind="response"):
    with path.open("rb") as file:
        records = ArchiveIterator(file)
        return [
            (records.get_record_offset(), records.get_record_length(), entry.rec_headers.get_header("WARC-Target-URI"))
            for entry in records
            if entry.rec_type == kind and not (entry.rec_headers.get_header("WARC-Target-URI") or "").endswith("robots.txt")
        ]  # fmt: skip


def flip(path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0x10
    path.write_bytes(data)


def test_a_whole_crawl_is_found_whole(folder):
    done = CliRunner().invoke(main, ["crawl", "check", str(folder)])
    assert done.exit_code == 0
    assert "32 intact pages: all as they should be" in done.output
    told = json.loads(CliRunner().invoke(main, ["crawl", "check", str(folder), "--format", "json"]).output)
    assert (told["whole"], told["files"], told["pages"], told["broken"]) == (True, 1, 32, [])
    assert told["bytes"] == only_file(folder).stat().st_size


def test_a_flipped_bit_costs_the_record_that_it_is_in_and_no_other(folder):
    path = only_file(folder)
    offset, length, url = places(path)[10]
    flip(path, offset + length // 2)
    done = CliRunner().invoke(main, ["crawl", "check", str(folder)])
    assert done.exit_code == 1
    assert (
        f"{path.name}, at byte {offset:,}: the record cannot be unpacked: some of its bytes have changed  {url}\n"
        in done.output
    )
    assert f"linksight crawl check {folder} --mend && linksight crawl resume {folder}" in done.stderr
    assert "31 intact pages: 1 broken" in done.output


def unpacked(member: bytes) -> bytes | None:
    try:
        return gzip.decompress(member)
    except (OSError, EOFError, zlib.error):
        return None


def test_a_flip_anywhere_is_found_or_changes_nothing(tmp_path):
    """Flips all over a file: each is found, or the content is what it was (gzip's time stamp, bits that fill up)."""
    head = http_head(200, "OK", [("Content-Type", "text/html")], 400)
    body = random.Random(1).randbytes(400)
    one = Exchange("http://a.nl/", head, body, digest(body), 1.0).records()[0]
    path, draw = tmp_path / "x.warc.gz", random.Random(2)
    for place in [*range(12), *draw.sample(range(12, len(one)), 60)]:
        path.write_bytes(one + one + one)
        flip(path, len(one) + place)
        found = list(stored_records(path))
        same = unpacked(path.read_bytes()[len(one) : 2 * len(one)]) == unpacked(one)
        assert sum(not entry.problem for entry in found) == (3 if same else 2)
        assert [found[0].problem, found[-1].problem] == ["", ""]
        assert sum(entry.length for entry in found) == 3 * len(one)


@pytest.mark.parametrize(
    ("fields", "block", "problem"),
    [
        ({"WARC-Type": "response", "WARC-Payload-Digest": digest(b"other")}, b"HTTP/1.1 200\r\n\r\nx", "payload digest differs"),
        ({"WARC-Block-Digest": digest(b"other")}, b"x", "block digest differs"),
        ({"Content-Length": "7"}, b"x", "length differs from Content-Length"),
    ],
)  # fmt: skip
def test_a_record_that_contradicts_itself_is_broken(tmp_path, fields, block, problem):
    told = {"WARC-Type": "metadata", "Content-Length": str(len(block))} | fields
    lines = ["WARC/1.1", *(f"{name}: {value}" for name, value in told.items()), "", ""]
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress("\r\n".join(lines).encode() + block + b"\r\n\r\n"))
    assert [entry.problem for entry in stored_records(path)] == [problem]


def test_what_is_no_record_is_named(tmp_path):
    path = tmp_path / "x.warc.gz"
    path.write_bytes(b"junk" + record("metadata", {}, b"x") + gzip.compress(b"text"))
    assert [entry.problem for entry in stored_records(path)] == [UNPACKABLE, "", "not a WARC record"]
    path.write_bytes(b"")
    assert not list(stored_records(path))


def test_a_page_exchanged_for_another_is_found(folder):
    """Two whole records, each where the other one should be: only the database knows."""
    pages = sql_schema.pages
    with Ledger.open(folder) as ledger, ledger.engine.begin() as connection:
        rows = connection.execute(select(pages.c.id, pages.c.url, pages.c.offset, pages.c.length).limit(2))
        (one, first, *here), (two, second, *there) = rows
        for number, (offset, length) in ((one, there), (two, here)):
            moved = update(pages).where(pages.c.id == number)
            connection.execute(moved.values(offset=offset, length=length))
    found, _ = check_crawl(folder)
    assert sorted(broken.url for broken in found.broken) == sorted([first, second])


def test_a_file_that_is_gone_or_cut_short_is_named(folder):
    path = only_file(folder)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    found, _ = check_crawl(folder)
    assert any(broken.problem == "the file is cut short here" for broken in found.broken)
    assert len({broken.url for broken in found.broken if "no record begins" in broken.problem}) > 5
    path.unlink()
    told = CliRunner().invoke(main, ["crawl", "check", str(folder)])
    assert f"put back into {folder / 'warc'} what was moved away: {path.name}\n" in told.stderr
    found, mended = check_crawl(folder, mending=True)
    assert (found.absent, mended) == ([path.name], None)


def test_mended_pages_are_fetched_again_and_the_damaged_file_is_kept(folder, web, crawl_with, stored):
    path = only_file(folder)
    before = path.read_bytes()
    offset, length, _ = places(path)[5]
    metadata = places(path, "metadata")[20]
    flip(path, offset + length // 2)
    flip(path, metadata[0] + metadata[1] // 2)
    done = CliRunner().invoke(main, ["crawl", "check", str(folder), "--mend"])
    assert done.exit_code == 0, done.output
    assert "2 pages are fetched again" in done.output
    assert len((folder / "damaged" / path.name).read_bytes()) == len(before)
    assert check_crawl(folder)[0].is_whole
    assert len(stored(folder)) == 30
    served = dict(web.served)
    crawl_with(folder, seeds=(web.url(0, 0),), strategy="breadth-first", archive_robots=True)
    assert set(stored(folder)) == set(web.all_urls())
    assert set(stored(folder).values()) == {1}
    assert check_crawl(folder)[0].pages == 32
    asked = {page for page, times in web.served.items() if times > served.get(page, 0)}
    assert len(asked - {page for page in asked if "robots" in str(page)}) == 2


def test_a_damaged_warcinfo_is_written_anew(folder, stored):
    path = only_file(folder)
    flip(path, 40)
    assert not check_crawl(folder)[0].is_whole
    _, mended = check_crawl(folder, mending=True)
    assert mended.pages == 0
    assert check_crawl(folder)[0].is_whole
    assert len(stored(folder)) == 32


def test_nothing_is_mended_while_a_worker_runs(folder):
    from linksight.crawl.frontier.frontier import Frontier

    path = only_file(folder)
    flip(path, 40)
    with Ledger.open(folder) as ledger:
        other = Frontier(ledger.engine, ledger.config, "other-1-a")
        with Lease(folder, other), pytest.raises(CrawlError, match="1 worker runs here"):
            check_crawl(folder, mending=True)
    assert path.exists()


def test_a_record_whose_bytes_are_with_a_broken_one_goes_with_it(local_web, crawl_with, stored):
    """It would say for ever that its bytes are where nothing is, beside the page that was fetched again."""
    html = {"Content-Type": "text/html"}
    same = (200, html, b'<html lang="nl"><body>overal dezelfde tekst</body></html>')
    with local_web(hosts=1, pages=0) as web:
        web.extra = {"/": (200, html, b'<html lang="nl"><a href="/een">1</a><a href="/twee">2</a></html>')}
        web.extra |= {"/een": same, "/twee": same}
        settings = {"seeds": (f"{web.origin(0)}/",), "strategy": "breadth-first", "revisits": True}
        folder, _ = crawl_with(**settings)
        ((_, _, again),) = places(only_file(folder), "revisit")
        first = again.replace("een", "?").replace("twee", "een").replace("?", "twee")
        ((offset, length),) = [place[:2] for place in places(only_file(folder)) if place[2] == first]
        flip(only_file(folder), offset + length // 2)
        assert check_crawl(folder, mending=True)[1].pages == 2
        assert dict(stored(folder)) == {f"{web.origin(0)}/": 1}
        crawl_with(folder, **settings)
        assert stored(folder) == dict.fromkeys((f"{web.origin(0)}/", first, again), 1)
    assert check_crawl(folder)[0].is_whole
