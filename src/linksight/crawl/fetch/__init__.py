"""Downloads, in a child process.

fetcher_client, ipc, fetcher_process    the worker's side, the frames between them, the child process
downloader, dns, wire_recorder          its Scrapy spider, its resolver, the bytes on the wire
in_flight, rate_limiter, robots         requests under way, delays per host, robots.txt
response, outage                        decoded responses; network failures
"""
