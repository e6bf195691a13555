#!/bin/bash
# Redis evicts for answers that nobody has read, and for a value that it refuses
#
# Redis with maxmemory and allkeys-lru is a usual shared cache for images. One expects
# that only writes evict, and that a value which does not fit fails and changes nothing.
# But Redis counts the buffers of its clients against maxmemory, and evicts keys to make
# room for them. An answer that a slow client has not read yet is a copy of the value:
# when forty clients GET images of 400 kB and read slowly, a cache of thirty images
# loses half of them, although nobody wrote. A SET with a value larger than maxmemory is
# answered with an error, but its bytes count as soon as they arrive: all keys are
# evicted, and then the value is refused. With values of a few hundred bytes neither
# shows. A shared cache of images has to bound the size of a value itself, far below
# maxmemory, and must not leave answers unread.
#
# Seen with Redis 7.0.15 (Debian 12's redis-server 5:7.0.15-1~deb12u10), maxmemory 20 MB:
#   30 keys of 400 kB, 0 evicted
#   40 clients ask for one each and do not read: 12 keys, 18 evicted
#   30 keys, SET of 30 MB: -OOM command not allowed when used memory > 'maxmemory'.
#   0 keys
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
version=$(dpkg-query -W -f '${Version}' redis-server)
echo "redis-server $version"
[[ $version == 5:7.0.15-* ]] || exit 2
work=$(mktemp -d)
server=
cleanup() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    [[ -z $server ]] || wait "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
redis-server --port 0 --unixsocket "$work/socket" --dir "$work" --save '' --appendonly no \
    --maxmemory 20mb --maxmemory-policy allkeys-lru >"$work/log" &
server=$!
python3 - "$work/socket" <<'PY'
import socket, sys, time

IMAGES, IMAGE, READERS = 30, b"i" * 400_000, 40

class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(sys.argv[1])
        self.socket.settimeout(20)
        self.file = self.socket.makefile("rb")

    def send(self, *words):
        parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))

    def ask(self, *words):
        self.send(*words)
        line = self.file.readline().rstrip().decode()
        if line[0] != "$" or line == "$-1":
            return line
        return self.file.read(int(line[1:]) + 2)[:-2]

for attempt in range(100):
    try:
        client = Client()
        break
    except OSError:
        time.sleep(0.1)

def state():
    info = dict(line.split(":", 1) for line in client.ask("INFO").decode().splitlines() if ":" in line)
    return int(client.ask("DBSIZE")[1:]), int(info["evicted_keys"])

def fill():
    client.ask("FLUSHALL")
    for number in range(IMAGES):
        client.ask("SET", f"image{number}", IMAGE)
    return state()

keys, evicted = fill()
print(f"{keys} keys of {len(IMAGE) // 1000} kB, {evicted} evicted")
as_described = (keys, evicted) == (IMAGES, 0)

readers = [Client() for _ in range(READERS)]
for number, reader in enumerate(readers):
    reader.send("GET", f"image{number % IMAGES}")
# Commands of other clients are served in between, and evict.
for _ in range(50):
    client.ask("PING")
keys, evicted = state()
print(f"{READERS} clients ask for one each and do not read: {keys} keys, {evicted} evicted")
as_described &= evicted == IMAGES - keys and evicted >= IMAGES / 4

client.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
keys, _ = fill()
reply = client.ask("SET", "large", b"l" * 30_000_000)
left, _ = state()
print(f"{keys} keys, SET of 30 MB: {reply}")
print(f"{left} keys")
as_described &= keys == IMAGES and reply.startswith("-OOM") and left == 0
sys.exit(0 if as_described else 1)
PY
