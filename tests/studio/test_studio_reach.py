"""The studio without a mouse or without sight: the keyboard is enough, and every field has a name."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def test_the_keyboard_is_enough(person):
    page = person.page
    person.go("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "urls"
    page.keyboard.type("https://www.lemonde.fr/economie/")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Show languages":
            break
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="French").wait_for()


@pytest.mark.parametrize(
    "path", ["/", "/pages", "/links", "/sites", "/sites/1", "/crawls", "/crawls/dutch", "/reports", "/model"]
)
def test_everything_that_can_be_used_is_reached_by_the_keyboard_and_seen(
    chromium, furnished, make_person, path
):
    """Tab goes through every control, in the order of the page, and shows where it is."""
    context = chromium.new_context(viewport={"width": 1200, "height": 800})
    person = make_person(context, furnished)
    page = person.page
    person.go(path)
    wanted = page.evaluate(
        """() => { const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
        .filter((x) => x.checkVisibility() && !x.disabled); all.forEach((x, i) => (x.dataset.nth = i)); return all.length; }"""
    )
    reached = []
    for _ in range(min(wanted, 80)):
        page.keyboard.press("Tab")
        at, outline = page.evaluate(
            "() => [document.activeElement.dataset.nth, getComputedStyle(document.activeElement).outlineStyle]"
        )
        assert outline != "none", f"{path}: control {at} does not show that it has the focus"
        reached.append(int(at))
    assert reached == list(range(len(reached)))
    assert person.wrong == []
    context.close()


def test_every_field_has_a_name_for_screen_readers(person):
    for path in ("/", "/pages", "/links", "/sites", "/crawls"):
        person.go(path)
        nameless = person.page.evaluate(
            """() => [...document.querySelectorAll("input:not([type=hidden]), select, textarea, button")]
            .filter((x) => !(x.labels?.length || x.getAttribute("aria-label") || x.textContent.trim()))
            .map((x) => x.outerHTML)"""
        )
        assert nameless == [], path
