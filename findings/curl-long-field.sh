#!/bin/bash
# libcurl sends a long header field over HTTP/1.1 and gives up over HTTP/2
#
# HTTP/2 splits a long head into frames (RFC 9113, 6.10), and a server may permit heads
# of any size (SETTINGS_MAX_HEADER_LIST_SIZE), so a client that moves from HTTP/1.1 to
# HTTP/2 should lose nothing. With libcurl over nghttp2, a request whose head has more
# than about 64 KB fails and never reaches the server, whatever that permits: the error
# tells of sending to the peer, although the peer did nothing. The same options send it
# over HTTP/1.1. Long fields can so make a request fail with one version of the protocol
# only, which the server chose.
#
# Seen with pycurl 7.45.7, whose wheel has libcurl 8.16.0-DEV, and h2 4.3.0 as the server:
#   60000 bytes over 1.1: 200
#   60000 bytes over 2: 200
#   70000 bytes over 1.1: 200
#   70000 bytes over 2: error 55, the server saw 0 requests
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    --only-binary=:all: pycurl==7.45.7 h2==4.3.0
cd "$work"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -keyout key.pem -out certificate.pem 2>errors || { cat errors >&2; exit 1; }
"$work/venv/bin/python" - <<'PY'
import socket, ssl, sys, threading
import h2.config, h2.connection, h2.events, h2.settings, pycurl

library = pycurl.version_info()[1]
print("libcurl", library)
if library != "8.16.0-DEV":
    sys.exit(2)

seen = []

def serve_http1(peer):
    data = b""
    while b"\r\n\r\n" not in data:
        part = peer.recv(65536)
        if not part:
            return
        data += part
    seen.append(len(data))
    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")

def serve_http2(peer):
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    connection.local_settings[h2.settings.SettingCodes.MAX_HEADER_LIST_SIZE] = 1 << 20
    connection.decoder.max_header_list_size = 1 << 20
    connection.initiate_connection()
    peer.sendall(connection.data_to_send())
    while part := peer.recv(65536):
        for event in connection.receive_data(part):
            if isinstance(event, h2.events.RequestReceived):
                seen.append(sum(len(name) + len(value) for name, value in event.headers))
                connection.send_headers(event.stream_id, [(":status", "200")])
                connection.send_data(event.stream_id, b"ok", end_stream=True)
        peer.sendall(connection.data_to_send())

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("certificate.pem", "key.pem")
context.set_alpn_protocols(["h2", "http/1.1"])
listener = socket.create_server(("127.0.0.1", 0))

def serve():
    while True:
        peer = context.wrap_socket(listener.accept()[0], server_side=True)
        try:
            (serve_http2 if peer.selected_alpn_protocol() == "h2" else serve_http1)(peer)
        except OSError:
            pass
        peer.close()

threading.Thread(target=serve, daemon=True).start()

as_described = True
for size in 60_000, 70_000:
    for version, name in (pycurl.CURL_HTTP_VERSION_1_1, "1.1"), (pycurl.CURL_HTTP_VERSION_2TLS, "2"):
        del seen[:]
        handle = pycurl.Curl()
        handle.setopt(pycurl.URL, f"https://127.0.0.1:{listener.getsockname()[1]}/")
        handle.setopt(pycurl.SSL_VERIFYPEER, 0)
        handle.setopt(pycurl.SSL_VERIFYHOST, 0)
        handle.setopt(pycurl.PROXY, "")
        handle.setopt(pycurl.TIMEOUT, 10)
        handle.setopt(pycurl.HTTP_VERSION, version)
        handle.setopt(pycurl.HTTPHEADER, ["X-Long: " + "x" * size])
        handle.setopt(pycurl.WRITEFUNCTION, len)
        try:
            handle.perform()
            result = str(handle.getinfo(pycurl.RESPONSE_CODE))
            used = handle.getinfo(pycurl.INFO_HTTP_VERSION)
            as_described &= used == (3 if name == "2" else 2)
        except pycurl.error as error:
            result = f"error {error.args[0]}, the server saw {len(seen)} requests"
        handle.close()
        print(f"{size} bytes over {name}: {result}")
        fails = size > 65_536 and name == "2"
        as_described &= result == ("error 55, the server saw 0 requests" if fails else "200")
sys.exit(0 if as_described else 1)
PY
