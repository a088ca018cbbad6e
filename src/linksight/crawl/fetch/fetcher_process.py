"""The fetcher: Scrapy's downloader in a process of its own, since its reactor cannot be started twice.

It fetches what it is told, when it is told, and hands back what came: no queue, no parsing, no
redirects (a redirect is an answer; where it leads is decided like any link). It dies with its worker.

    worker  -- {"id", "url", "host", "due", "gap", "headers"} -->  fetcher
    worker  <-- {"id", "status", "headers", "address", "started", "sizes", ...} + request + response + body --

``due`` and ``started`` are of the clock that nobody can set, which all processes of a machine share.
"""

from __future__ import annotations

import logging
import sys
from typing import Any
from urllib.parse import urlsplit

from linksight.crawl.fetch.ipc import read_frame

_HANDLER = "linksight.crawl.fetch.wire_recorder.RecordingHandler"


def settings_of(config: dict[str, Any]) -> dict[str, Any]:
    """Scrapy's settings: the downloader alone, none of what the worker does itself."""
    off = ("offsite.OffsiteMiddleware", "robotstxt.RobotsTxtMiddleware", "httpauth.HttpAuthMiddleware",
           "retry.RetryMiddleware", "redirect.MetaRefreshMiddleware", "redirect.RedirectMiddleware",
           "httpcompression.HttpCompressionMiddleware", "cookies.CookiesMiddleware", "stats.DownloaderStats",
           "httpcache.HttpCacheMiddleware",
           "defaultheaders.DefaultHeadersMiddleware", "useragent.UserAgentMiddleware")  # fmt: skip
    return {
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        _resolver_setting(): "linksight.crawl.fetch.dns.GuardedResolver",
        "LINKSIGHT_ALLOW_PRIVATE": config["allow_private"],
        "LINKSIGHT_PROXY_HOST": urlsplit(config["proxy"]).hostname,
        "CONCURRENT_REQUESTS": config["concurrency"],
        "CONCURRENT_REQUESTS_PER_DOMAIN": config["connections_per_host"],
        "DOWNLOAD_DELAY": 0,
        "DOWNLOAD_TIMEOUT": config["timeout"],
        "DOWNLOAD_MAXSIZE": 0,  # larger pages are cut off, and not dropped
        "LINKSIGHT_MAX_PAGE_BYTES": config["max_page_bytes"],
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_FAIL_ON_DATALOSS": False,  # the worker is told, and tries again
        "DOWNLOAD_VERIFY_CERTIFICATES": config["verify_certificates"],
        "DOWNLOAD_HANDLERS": {"data": None, "file": None, "ftp": None, "s3": None, "http": _HANDLER, "https": _HANDLER},
        "DOWNLOADER_MIDDLEWARES": {f"scrapy.downloadermiddlewares.{name}": None for name in off},
        "DOWNLOADER_STATS": False,
        "EXTENSIONS": {
            f"scrapy.extensions.{name}": None
            for name in (
                "corestats.CoreStats", "logcount.LogCount", "telnet.TelnetConsole", "memusage.MemoryUsage",
                "memdebug.MemoryDebugger", "closespider.CloseSpider", "feedexport.FeedExporter",
                "logstats.LogStats", "spiderstate.SpiderState", "throttle.AutoThrottle",
            )
        },
        "TELNETCONSOLE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "LOG_ENABLED": False,
        # Threads look up names: those that hang, and lookups given up, must leave some for the others.
        "REACTOR_THREADPOOL_MAXSIZE": min(2 * config["concurrency"] + 32, 512),
    }  # fmt: skip


def _resolver_setting() -> str:
    from scrapy.settings import default_settings

    newer = "TWISTED_DNS_RESOLVER"
    return newer if hasattr(default_settings, newer) else "DNS_RESOLVER"


def main() -> None:
    """Run as ``python -m linksight.crawl.fetch.fetcher_process FD``; the settings are the first frame."""
    from scrapy.crawler import AsyncCrawlerProcess
    from twisted.logger import globalLogBeginner

    from linksight.crawl.fetch.downloader import FetchSpider

    link = int(sys.argv[1])
    config = read_frame(link)
    # What Scrapy warns of, such as a page that is too large, is told by its reason in the ledger.
    quiet = logging.StreamHandler()
    quiet.setLevel(logging.ERROR)
    # Nor does a certificate that is not valid need a traceback.
    quiet.addFilter(lambda record: "while verifying certificate" not in record.getMessage())
    # Scrapy hands on to logging what Twisted tells; told of no other listener, Twisted writes it as well.
    globalLogBeginner.beginLoggingTo([], redirectStandardIO=False)
    logging.getLogger().addHandler(quiet)
    process = AsyncCrawlerProcess(settings_of(config), install_root_handler=False)
    process.crawl(FetchSpider, link=link, config=config)
    process.start(install_signal_handlers=False)


if __name__ == "__main__":
    main()
