"""Lists of URLs: all are reachable, the oldest make room, unusable rows are not languages, no address deceives."""

from __future__ import annotations

import pyarrow as pa
import pytest

from linksight.studio.jobs import Job
from linksight.studio.services.inspector_runs import Run, Runs

URLS = ["https://www.nu.nl/sport", "x:y", "http://www.zeitung.de/politik"]


def test_unusable_rows_are_not_counted_as_undetermined(visitor):
    shown = visitor.submit("/inspector", {"urls": "\n".join(URLS)}).text
    assert "3 URLs, 2 languages." in shown
    assert "Undetermined" not in shown
    assert "Unusable: 1" in shown


def test_lists_beyond_ten_are_reachable(visitor, studio):
    for number in range(12):
        visitor.submit("/inspector", {"urls": f"https://www.nu.nl/{number}\nhttps://www.nu.nl/x"})
    assert visitor.get("/").text.count('href="/runs/') == 10
    assert visitor.get("/runs").text.count('href="/runs/') == len(studio.app.state.runs.all())


def test_the_oldest_lists_make_room_on_the_disk(tmp_path):
    runs = Runs(tmp_path, max_bytes=1)
    column = pa.array(URLS, pa.large_string())
    made = [
        runs.make(Job("run", "x"), column, Run(f"list {number}", at=float(number))) for number in range(3)
    ]
    assert [run.id for run in runs.all()] == [made[-1].id]
    assert {path.name.partition(".")[0] for path in tmp_path.iterdir()} == {made[-1].id}


@pytest.mark.parametrize("control", ["\u202e", "\u2066"])
def test_characters_that_reorder_text_are_shown_encoded(visitor, control):
    url = f"http://www.nu.nl/{control}gpj.exe"
    for page in (
        visitor.get("/inspect", params={"url": url}),
        visitor.submit("/inspector", {"urls": f"{url}\n{url}"}),
    ):
        assert control not in page.text
        assert "%E2%8" in page.text


def test_a_download_is_named_after_its_list(visitor):
    page = visitor.submit(
        "/inspector", {}, files={"file": ("my urls.csv", b"url\nhttp://a.nl/\nhttp://b.nl/\n")}
    )
    answer = visitor.get(f"{page.url.path}/download?form=csv")
    assert 'filename="my_urls-languages.csv"' in answer.headers["content-disposition"]
