#!/bin/bash
# Tornado confirms an old image as current until its process ends
#
# StaticFileHandler makes a strong ETag from a hash of the file's content, which looks
# like the safest choice there is. But the hash is computed once for each path and
# kept as long as the process lives, whatever happens to the file. When an image is
# replaced, the response has the new bytes, the new length and the new Last-Modified,
# under the old ETag. A cache or browser that revalidates sends that ETag, which goes
# before any date (RFC 9110, 13.2.2), gets 304, and keeps the old image until the
# server is started anew; one that has nothing stored gets the new image, so that a
# look with curl shows nothing wrong. Two different images are also "the same" to
# whoever keys a cache by ETag. Only a request by date alone is answered rightly.
#
# Seen with Tornado 6.6.1 on CPython 3.11, after the image was replaced:
#   ETag of the new image: the old one, bytes: new, Last-Modified: new
#   If-None-Match: 304
#   If-None-Match and If-Modified-Since: 304
#   If-Modified-Since: 200
#   If-None-Match after a restart: 200, ETag: another
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    tornado==6.6.1
mkdir "$work/images"
cd "$work"
cat >serve.py <<'PY'
import asyncio, sys
from tornado.web import Application, StaticFileHandler

async def main():
    Application([("/(.*)", StaticFileHandler, {"path": "images"})]).listen(int(sys.argv[1]), "127.0.0.1")
    await asyncio.Event().wait()

asyncio.run(main())
PY
"$work/venv/bin/python" - <<'PY'
import http.client, os, socket, struct, subprocess, sys, time, zlib
from importlib.metadata import version

print("tornado", version("tornado"))
if version("tornado") != "6.6.1":
    sys.exit(2)

def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

def png(colour, side):
    rows = (b"\0" + bytes(colour) * side) * side
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

def store(data, modified):
    with open("images/new", "wb") as file:
        file.write(data)
    os.utime("images/new", (modified, modified))
    os.replace("images/new", "images/picture.png")

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

def start():
    process = subprocess.Popen([sys.executable, "serve.py", str(port)])
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    return process

def get(**fields):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/picture.png", headers={name.replace("_", "-"): value for name, value in fields.items()})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, response.getheader("ETag"), response.getheader("Last-Modified"), body

red, blue = png((255, 0, 0), 40), png((0, 0, 255), 60)
server = start()
try:
    store(red, 1_700_000_000)
    _, old_tag, old_date, body = get()
    as_described = body == red and old_tag.startswith('"')
    store(blue, 1_800_000_000)
    _, tag, date, body = get()
    print("ETag of the new image:", "the old one," if tag == old_tag else "another,",
          "bytes:", "new," if body == blue else "old,", "Last-Modified:", "new" if date != old_date else "old")
    as_described &= tag == old_tag and body == blue and date != old_date
    for fields, wanted in (({"If_None_Match": old_tag}, 304),
                           ({"If_None_Match": old_tag, "If_Modified_Since": old_date}, 304),
                           ({"If_Modified_Since": old_date}, 200)):
        status = get(**fields)[0]
        print(" and ".join(fields).replace("_", "-") + ":", status)
        as_described &= status == wanted
    server.terminate()
    server.wait()
    server = start()
    status, tag, _, body = get(If_None_Match=old_tag)
    print(f"If-None-Match after a restart: {status}, ETag:", "the old one" if tag == old_tag else "another")
    as_described &= status == 200 and tag != old_tag and body == blue
finally:
    server.terminate()
    server.wait()
sys.exit(0 if as_described else 1)
PY
