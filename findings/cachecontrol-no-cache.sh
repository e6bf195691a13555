#!/bin/bash
# CacheControl takes a response that says no-cache for fresh
#
# "Cache-Control: no-cache" lets a cache store a response, but not use it before the
# server has confirmed it (RFC 9111, 5.2.2.4). Servers send it together with max-age for
# images that may be replaced at any time. CacheControl, the HTTP cache for requests
# that pip contains, follows no-store, and sends the entity tag when max-age is over.
# But it knows no-cache in requests only: while max-age lasts, it serves the stored
# image without asking. Without max-age it asks, so a test with "no-cache" alone passes.
# It also compares the names of directives with their case, so that "Max-Age=60" is not
# fresh. requests-cache, for the same library, gets both right once it is told to follow
# the fields. A good guess is that a cache named after the field knows its most used
# directive. Compare an image loader with such a client by the requests that the server
# gets, not by the images: those are the same until the day on which one is replaced.
#
# Seen with CacheControl 0.14.4, requests-cache 1.3.3 and requests 2.33.1 on CPython 3.11:
# how many requests the server got for two of the client, and how many with If-None-Match:
#   max-age=60             CacheControl (1, 0)  requests-cache (1, 0)
#   no-store, max-age=60   CacheControl (2, 0)  requests-cache (2, 0)
#   no-cache               CacheControl (2, 1)  requests-cache (2, 1)
#   no-cache, max-age=60   CacheControl (1, 0)  requests-cache (2, 1)
#   Max-Age=60             CacheControl (2, 1)  requests-cache (1, 0)
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    cachecontrol==0.14.4 requests-cache==1.3.3 requests==2.33.1
cd "$work"
venv/bin/python - <<'PY'
import http.server, sys, threading, urllib.parse
from importlib.metadata import version
import cachecontrol, requests, requests_cache

wanted = {"cachecontrol": "0.14.4", "requests-cache": "1.3.3", "requests": "2.33.1"}
found = {name: version(name) for name in wanted}
print(*(f"{name} {number}" for name, number in found.items()))
if found != wanted:
    sys.exit(2)

TAG, seen = '"1"', []

class Origin(http.server.BaseHTTPRequestHandler):
    """Answers with the Cache-Control field that the query of the URL names, and knows one entity tag."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        known = self.headers.get("If-None-Match") == TAG
        seen.append(known)
        body = b"" if known else b"image"
        self.send_response(304 if known else 200)
        self.send_header("Cache-Control", urllib.parse.unquote(self.path.partition("?")[2]))
        self.send_header("ETag", TAG)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
threading.Thread(target=server.serve_forever, daemon=True).start()

def requests_of(session, field):
    del seen[:]
    for _ in range(2):
        response = session.get(f"http://127.0.0.1:{server.server_port}/?{urllib.parse.quote(field)}", timeout=10)
        if response.content != b"image":
            return None
    return len(seen), sum(seen)

def client(name):
    if name == "CacheControl":
        session = cachecontrol.CacheControl(requests.Session())
    else:
        session = requests_cache.CachedSession(backend="memory", cache_control=True)
    session.trust_env = False
    return session

asks, fresh, anew = (2, 1), (1, 0), (2, 0)
expected = {"max-age=60": (fresh, fresh), "no-store, max-age=60": (anew, anew), "no-cache": (asks, asks),
            "no-cache, max-age=60": (fresh, asks), "Max-Age=60": (asks, fresh)}
as_described = True
for field, results in expected.items():
    counts = [requests_of(client(name), field) for name in ("CacheControl", "requests-cache")]
    print(f"{field:22} CacheControl {counts[0]}  requests-cache {counts[1]}")
    as_described &= tuple(counts) == results
server.shutdown()
sys.exit(0 if as_described else 1)
PY
