"""The cluster: three image servers behind nginx, Redis, SeaweedFS and an origin, all on the loopback address."""

import base64
import hashlib
import hmac
import json
import os
import random
import shutil
import subprocess

from parts import Part, free_ports

KEY, SALT = b"the key of the demo", b"and its salt"
ACCESS, SECRET, BUCKET = "tintype", "a secret of the demo", "renditions"
SIDES = 800, 533

FRONT = """
daemon off; worker_processes 1; pid nginx.pid; error_log errors warn;
events {{ worker_connections 2048; }}
http {{
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  upstream tintype {{
    # Each URL has its server, so that its memory and its disk are not used for the images of the others.
    hash $request_uri consistent;
{servers}
    keepalive 64;
  }}
  server {{
    listen 127.0.0.1:{port} backlog=1024; keepalive_requests 1000000; keepalive_timeout 300s;
    location / {{
      proxy_pass http://tintype; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_connect_timeout 500ms; proxy_read_timeout 3s;
      # A server that is dead or does not answer: the next one makes the image.
      proxy_next_upstream error timeout; proxy_next_upstream_tries 3;
    }}
  }}
}}
"""

ORIGIN = """
daemon off; worker_processes 1; pid nginx.pid; error_log errors warn;
events {{ worker_connections 1024; }}
http {{
  access_log requests; types {{ image/jpeg jpg; }}
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  server {{ listen 127.0.0.1:{port}; root images; add_header Cache-Control max-age=86400; }}
}}
"""


class Cluster:
    def __init__(self, folder, server, weed):
        self.folder = folder
        ports = free_ports(17)
        self.front_port, self.origin_port, self.redis_port = ports[0:3]
        self.server_ports, self.metrics_ports, weed_ports = ports[3:6], ports[6:9], ports[9:17]
        self.s3_port = weed_ports[0]
        self.redis = self.make_redis()
        self.seaweed = self.make_seaweed(weed, weed_ports)
        self.servers = [self.make_server(server, number) for number in range(3)]
        self.origin = self.make_nginx("origin", ORIGIN.format(port=self.origin_port), self.origin_port)
        servers = "\n".join(
            f"    server 127.0.0.1:{port} max_fails=2 fail_timeout=3s;" for port in self.server_ports)
        self.front = self.make_nginx("nginx", FRONT.format(port=self.front_port, servers=servers), self.front_port)

    @property
    def parts(self):
        """All parts, in the way of a request."""
        return [self.front, *self.servers, self.redis, self.seaweed, self.origin]

    def make_redis(self):
        arguments = ["redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1", "--save", "",
                     "--appendonly", "no", "--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lfu"]
        return Part("Redis", arguments, f"{self.folder}/redis", self.redis_port)

    def make_seaweed(self, weed, ports):
        folder = f"{self.folder}/seaweedfs"
        os.makedirs(f"{folder}/data", exist_ok=True)
        identity = {"name": "tintype", "actions": ["Admin", "Read", "List", "Tagging", "Write"],
                    "credentials": [{"accessKey": ACCESS, "secretKey": SECRET}]}
        with open(f"{folder}/s3.json", "w", encoding="utf-8") as file:
            json.dump({"identities": [identity]}, file)
        s3, s3_rpc, filer, filer_rpc, master, master_rpc, volume, volume_rpc = ports
        arguments = [
            weed, "-logtostderr", "server", "-dir=data", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3",
            f"-s3.port={s3}", f"-s3.port.grpc={s3_rpc}", "-s3.config=s3.json", "-s3.localSocket=s3.sock",
            "-s3.iam=false", "-s3.port.iceberg=0", "-s3.port.lance=0", f"-filer.port={filer}",
            f"-filer.port.grpc={filer_rpc}", "-filer.localSocket=filer.sock", f"-master.port={master}",
            f"-master.port.grpc={master_rpc}", f"-volume.port={volume}", f"-volume.port.grpc={volume_rpc}",
            "-master.volumeSizeLimitMB=64", "-volume.max=0", "-volume.minFreeSpace=1MiB", "-master.telemetry=false"]
        return Part("SeaweedFS", arguments, folder, s3, is_ready=self.has_bucket)

    def make_server(self, program, number):
        folder = f"{self.folder}/server-{number + 1}"
        environment = {
            "TINTYPE_BIND": f"127.0.0.1:{self.server_ports[number]}",
            "TINTYPE_METRICS_BIND": f"127.0.0.1:{self.metrics_ports[number]}",
            "TINTYPE_KEY": KEY.hex(), "TINTYPE_SALT": SALT.hex(),
            "TINTYPE_ALLOWED_SOURCES": f"http://127.0.0.1:{self.origin_port}/",
            "TINTYPE_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true",
            # Small, so that the shared tiers have work.
            "TINTYPE_CACHE_DIRECTORY": f"{folder}/cache", "TINTYPE_CACHE_MEMORY_BYTES": "1500K",
            "TINTYPE_CACHE_DISK_BYTES": "8M", "TINTYPE_QUEUE": "1000",
            "TINTYPE_REDIS_URL": f"redis://127.0.0.1:{self.redis_port}",
            "TINTYPE_S3_BUCKET": BUCKET, "TINTYPE_S3_ENDPOINT": f"http://127.0.0.1:{self.s3_port}",
            "AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET}
        return Part(f"server {number + 1}", [program], folder, self.server_ports[number], environment)

    def make_nginx(self, name, configuration, port):
        folder = f"{self.folder}/{name}"
        part = Part(name, ["nginx", "-p", folder, "-c", "nginx.conf", "-e", "errors"], folder, port)
        with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
            file.write(configuration)
        return part

    def has_bucket(self):
        """Creates the bucket, and returns whether it is there."""
        arguments = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-m", "5", "--aws-sigv4",
                     "aws:amz:us-east-1:s3", "--user", f"{ACCESS}:{SECRET}", "-X", "PUT",
                     f"http://127.0.0.1:{self.s3_port}/{BUCKET}"]
        status = subprocess.run(arguments, capture_output=True, text=True, check=False).stdout
        return status in ("200", "409")

    def wipe(self, server):
        """Removes the cache of a server on disk."""
        shutil.rmtree(f"{server.folder}/cache", ignore_errors=True)

    def url(self, source, width, quality=80):
        """Returns the signed path of an image."""
        path = f"/w:{width}/q:{quality}/plain/http://127.0.0.1:{self.origin_port}/{source}.jpg"
        digest = hmac.new(KEY, SALT + path.encode(), hashlib.sha256).digest()
        return f"/{base64.urlsafe_b64encode(digest).decode().rstrip('=')}{path}"

    def draw_sources(self, count, tintype):
        """Draws the images of the origin, as SVG, and converts them."""
        images, drawings = f"{self.folder}/origin/images", f"{self.folder}/drawings"
        os.makedirs(images, exist_ok=True)
        os.makedirs(drawings, exist_ok=True)
        for number in range(count):
            with open(f"{drawings}/{number}.svg", "w", encoding="utf-8") as file:
                file.write(drawing(number))
        names = [f"{drawings}/{number}.svg" for number in range(count)]
        subprocess.run([tintype, "convert", "--quiet", "--format", "jpeg", "-o", images + "/{stem}.jpg", *names],
                       check=True)


def drawing(number):
    """Returns a landscape of its own for each number."""
    chance = random.Random(number)
    hue, (width, height) = chance.randrange(360), SIDES
    parts = []
    for layer in range(5):
        level = height * (0.35 + 0.13 * layer)
        points = [f"{x},{level + chance.uniform(-90, 90):.0f}" for x in range(0, width + 80, 80)]
        parts.append(f'<polygon points="0,{height} {" ".join(points)} {width},{height}" '
                     f'fill="hsl({(hue + 30 * layer) % 360},45%,{62 - 10 * layer}%)"/>')
    parts += [f'<circle cx="{chance.randrange(width)}" cy="{chance.randrange(height)}" r="{chance.uniform(1, 6):.1f}" '
              f'fill="hsl({chance.randrange(360)},60%,80%)" opacity="0.7"/>' for _ in range(400)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"><defs><linearGradient id="s" x2="0" '
            f'y2="1"><stop stop-color="hsl({hue},60%,35%)"/><stop offset="1" stop-color="hsl({(hue + 60) % 360},80%,80%)"/>'
            f'</linearGradient></defs><rect width="{width}" height="{height}" fill="url(#s)"/>{"".join(parts)}</svg>')
