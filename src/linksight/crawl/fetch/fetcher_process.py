"""The fetcher: Scrapy's downloader in a child process, because its reactor cannot be started twice.

It fetches the URLs that the worker sends, each when it is due, and returns the responses. It has no
queue, no parser and follows no redirects: the worker handles a redirect like a link. It exits with its worker.

    worker  -- {"id", "url", "host", "due", "gap", "headers"} -->  fetcher
    worker  <-- {"id", "status", "headers", "address", "started", "sizes", ...} + request + response + body --

``due`` and ``started`` are monotonic times, which all processes of a machine share.
"""

from __future__ import annotations

import logging
import sys
from typing import Any
from urllib.parse import urlsplit

from linksight.crawl.fetch.ipc import read_frame

_HANDLER = "linksight.crawl.fetch.wire_recorder.RecordingHandler"


def settings_of(config: dict[str, Any]) -> dict[str, Any]:
    """Scrapy's settings: the downloader only, without the middleware that the worker replaces."""
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
        "DOWNLOAD_MAXSIZE": 0,  # larger pages are truncated, not dropped
        "LINKSIGHT_MAX_PAGE_BYTES": config["max_page_bytes"],
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_FAIL_ON_DATALOSS": False,  # the worker sees the flag and retries
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
        # DNS lookups run in threads: hanging and abandoned lookups must not use all of them.
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
    # Scrapy's warnings, such as a page that is too large, are in the database as reasons.
    quiet = logging.StreamHandler()
    quiet.setLevel(logging.ERROR)
    # An invalid certificate needs no traceback either.
    quiet.addFilter(lambda record: "while verifying certificate" not in record.getMessage())
    # Scrapy forwards Twisted's log to logging; without a registered observer Twisted would also print it.
    globalLogBeginner.beginLoggingTo([], redirectStandardIO=False)
    logging.getLogger().addHandler(quiet)
    process = AsyncCrawlerProcess(settings_of(config), install_root_handler=False)
    process.crawl(FetchSpider, link=link, config=config)
    process.start(install_signal_handlers=False)


if __name__ == "__main__":
    main()
