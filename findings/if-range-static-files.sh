#!/bin/bash
# Most Python file servers resume a download from a file that has changed
#
# A client that has the first half of an image asks for the rest with Range and
# If-Range, the validator of its half: the rest if it is still the same file, the
# whole file otherwise (RFC 9110, 13.1.5). Servers that announce "Accept-Ranges:
# bytes" and send an ETag or Last-Modified look as if they knew it. Of eight that serve
# static files in Python, two do. Five answer 206 with the end of the new file, whatever
# the validator is; joined with the old half that is a file that never existed. aiohttp
# compares dates but not entity tags, so that it is right or wrong depending on the
# validator, and the entity tag is the one that a client should prefer. The wrong 206
# does carry the ETag or the date of the new file: a client has to compare them with
# its own before it joins the pieces, whatever it sent.
#
# Seen with aiohttp 3.14.5, Bottle 0.13.4, Falcon 4.4.0, Tornado 6.6.1, Twisted
# 26.10.0, WhiteNoise 6.12.0, Starlette 1.10.0 and Werkzeug 3.1.9 on CPython 3.11, for
# the rest of an image that was replaced, asked for with the old ETag or the old date:
#   aiohttp    compares dates only  ETag: wrong half  date: whole new file
#   Bottle     ignores If-Range     ETag: wrong half  date: wrong half
#   Falcon     ignores If-Range     ETag: wrong half  date: wrong half
#   Tornado    ignores If-Range     ETag: wrong half  date: wrong half
#   Twisted    ignores If-Range     date: wrong half (it sends no ETag)
#   WhiteNoise ignores If-Range     ETag: wrong half  date: wrong half
#   Starlette  knows If-Range       ETag: whole new file  date: whole new file
#   Werkzeug   knows If-Range       ETag: whole new file  date: whole new file
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    aiohttp==3.14.5 bottle==0.13.4 cheroot==11.1.2 falcon==4.4.0 tornado==6.6.1 twisted==26.10.0 \
    whitenoise==6.12.0 starlette==1.10.0 uvicorn==0.54.0 werkzeug==3.1.9
mkdir "$work/images"
cd "$work"
cat >serve.py <<'PY'
import sys

name, port, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
host = "127.0.0.1"

def not_found(environment, start):
    start("404 Not Found", [])
    return [b""]

def wsgi(application):
    from cheroot.wsgi import Server
    Server((host, port), application).start()

if name == "aiohttp":
    from aiohttp import web
    application = web.Application()
    application.router.add_static("/images", folder)
    web.run_app(application, host=host, port=port, print=None)
elif name == "Bottle":
    import bottle
    bottle.route("/images/<path>")(lambda path: bottle.static_file(path, root=folder))
    wsgi(bottle.default_app())
elif name == "Falcon":
    import falcon
    application = falcon.App()
    application.add_static_route("/images", folder)
    wsgi(application)
elif name == "Starlette":
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles
    uvicorn.run(Starlette(routes=[Mount("/images", StaticFiles(directory=folder))]),
                host=host, port=port, log_level="critical")
elif name == "Tornado":
    import asyncio
    from tornado.web import Application, StaticFileHandler

    async def main():
        Application([("/images/(.*)", StaticFileHandler, {"path": folder})]).listen(port, host)
        await asyncio.Event().wait()

    asyncio.run(main())
elif name == "Twisted":
    from twisted.internet import reactor
    from twisted.web import resource, server, static
    root = resource.Resource()
    root.putChild(b"images", static.File(folder))
    reactor.listenTCP(port, server.Site(root), interface=host)
    reactor.run()
elif name == "Werkzeug":
    from werkzeug.utils import send_from_directory
    from werkzeug.wrappers import Request
    wsgi(Request.application(lambda request: send_from_directory(
        folder, request.path.removeprefix("/images/"), request.environ)))
elif name == "WhiteNoise":
    from whitenoise import WhiteNoise
    wsgi(WhiteNoise(not_found, root=folder, prefix="images/", autorefresh=True))
PY
"$work/venv/bin/python" - <<'PY'
import http.client, os, socket, struct, subprocess, sys, time, zlib
from importlib.metadata import version

IGNORES, DATES, KNOWS = "ignores If-Range", "compares dates only", "knows If-Range"
servers = {"aiohttp": ("3.14.5", DATES), "Bottle": ("0.13.4", IGNORES),
           "Falcon": ("4.4.0", IGNORES), "Tornado": ("6.6.1", IGNORES),
           "Twisted": ("26.10.0", IGNORES), "WhiteNoise": ("6.12.0", IGNORES),
           "Starlette": ("1.10.0", KNOWS), "Werkzeug": ("3.1.9", KNOWS)}
for name, (wanted, _) in servers.items():
    if version(name) != wanted:
        print(name, "is", version(name))
        sys.exit(2)

def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

def png(colour, side=64):
    rows = (b"\0" + bytes(colour) * side) * side
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))

red, blue, half = png((255, 0, 0)), png((0, 0, 255)), 6000

def store(path, data, modified):
    with open(path + ".new", "wb") as file:
        file.write(data)
    os.utime(path + ".new", (modified, modified))
    os.replace(path + ".new", path)

def get(port, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/images/picture.png", headers={name.replace("_", "-"): value for name, value in fields.items()})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body

def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

def resume(port, path):
    """What happens to a client that had half of the red picture when the blue one took its place."""
    store(path, red, 1_700_000_000)
    before, body = get(port)
    tag, date = before.getheader("ETag"), before.getheader("Last-Modified")
    same, rest = get(port, Range=f"bytes={half}-", If_Range=date)
    if body != red or same.status != 206 or rest != red[half:]:
        return "does not resume an unchanged file", {}
    store(path, blue, 1_800_000_000)
    results = {}
    for kind, validator in (("ETag", tag), ("date", date)):
        if validator is None:
            continue
        after, rest = get(port, Range=f"bytes={half}-", If_Range=validator)
        if after.status == 206 and rest == blue[half:]:
            results[kind] = "wrong half"
            if (after.getheader("ETag"), after.getheader("Last-Modified")) == (tag, date):
                results[kind] += " as if unchanged"
        elif after.status == 200 and rest == blue:
            results[kind] = "whole new file"
        else:
            results[kind] = f"status {after.status}"
    wrong = [kind for kind, result in results.items() if result == "wrong half"]
    if len(wrong) == len(results):
        return IGNORES, results
    if wrong == ["ETag"]:
        return DATES, results
    return (KNOWS if not wrong else "other"), results

running, as_described = [], True
try:
    for name in servers:
        folder, port = os.path.abspath("images/" + name), free_port()
        os.mkdir(folder)
        with open(name + ".log", "wb") as log:
            process = subprocess.Popen([sys.executable, "serve.py", name, str(port), folder], stdout=log, stderr=log)
        running.append((name, process, folder, port))
    for name, process, folder, port in running:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None:
                    break
                time.sleep(0.1)
        behaviour, results = resume(port, folder + "/picture.png")
        told = "  ".join(f"{kind}: {result}" for kind, result in results.items())
        print(f"{name:10} {behaviour:20} {told}")
        as_described &= behaviour == servers[name][1]
finally:
    for _, process, _, _ in running:
        process.kill()
        process.wait()
sys.exit(0 if as_described else 1)
PY
