"""``linksight detect``: the language of pages, from their URLs alone."""

from __future__ import annotations

import click


@click.command()
@click.argument("urls", nargs=-1)
@click.option("--languages", help="Only these, such as nl,fy: codes, ISO 639-3 or names.")
@click.option("--explain", is_flag=True, help="Say which parts of the URL spoke for which language.")
@click.option("--model", type=click.Path(), help="A model of your own instead of the bundled one.")
def detect(urls: tuple[str, ...], languages: str | None, explain: bool, model: str | None) -> None:
    """The language of pages, from their URLs alone.

    \b
    linksight detect https://www.lemonde.fr/economie/
    linksight detect --languages nl,fy https://www.grien.frl/
    """
    import linksight

    scorer = linksight.load(model)
    for url in urls:
        found = scorer.detect(url, languages, explain=explain)
        click.echo(f"{found.language}\t{found.probability:.3f}\t{url}")
