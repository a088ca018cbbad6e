#!/bin/sh
# One crawl worker of many on one PostgreSQL. Every worker has a folder of its own for its WARC files;
# the frontier, and with it the crawl, is in the database. Started again, it goes on where it was.
#
#   CRAWL_STORE     postgresql://user@host/database
#   PGPASSWORD      the password of that user, as it is
#   CRAWL_LANGUAGE  the language to look for, such as nl
#   CRAWL_SEEDS     a file of addresses, one a line
#   LINKSIGHT_CONTACT   mail address or URL of who is responsible; required
#   CRAWL_FOLDER    where the workers' folders are          [/data]
#   CRAWL_OPTIONS   more options of `linksight crawl run`   []
#   WORKER          this worker's name                      [the host's name]
set -eu

folder="${CRAWL_FOLDER:-/data}/${WORKER:-$(hostname)}"
linksight="${LINKSIGHT:-linksight}"

if [ -f "$folder/crawl.json" ]; then
    exec $linksight crawl resume "$folder" --quiet
fi
# shellcheck disable=SC2086  # options are words
exec $linksight crawl run --seeds "$CRAWL_SEEDS" --language "$CRAWL_LANGUAGE" --store "$CRAWL_STORE" \
    --out "$folder" --quiet ${CRAWL_OPTIONS:-}
