"""Starts what a load profile needs, and measures the processes: an origin, this server and its peers."""

import atexit
import os
import pathlib
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request

import psutil

ORIGIN, OURS, THUMBOR, METRICS = 18590, 18591, 18592, 18593

NGINX = """
daemon off; error_log stderr error; pid {folder}/nginx.pid; worker_processes 1; {modules}
events {{ worker_connections 4096; }}
http {{
  access_log off; types {{ image/jpeg jpg; image/png png; image/webp webp; }}
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000; sendfile on; tcp_nopush on;
  server {{
    listen 127.0.0.1:{port} backlog=4096; root {data};
    location / {{ add_header Cache-Control max-age=3600; }}
    location /slow/ {{ alias {data}/; limit_rate 300k; add_header Cache-Control max-age=3600; }}
    {locations}
  }}
}}
"""

FILTER = """location ~ ^/filter/(.*)$ { alias %s/$1; image_filter resize 512 512; image_filter_buffer 64M;
      image_filter_jpeg_quality 80; }"""

THUMBOR_SETTINGS = """
ALLOW_UNSAFE_URL = True
LOADER = "thumbor.loaders.http_loader"
STORAGE = "thumbor.storages.no_storage"
QUALITY = 80
AUTO_WEBP = False
MAX_WIDTH = MAX_HEIGHT = 0
ENGINE_THREADPOOL_SIZE = 1
"""


class Server:
    """A process with its children, and what they use."""

    def __init__(self, name, command, environment=None, log=None):
        self.name = name
        output = open(log, "wb") if log else subprocess.DEVNULL
        self.process = subprocess.Popen(
            command, env={**os.environ, **(environment or {})}, stdout=output, stderr=subprocess.STDOUT)
        self.root = psutil.Process(self.process.pid)
        self.peak = 0
        self.is_sampling = True
        # Also if a measurement fails: what stays would answer in place of the next server.
        atexit.register(self.stop)
        threading.Thread(target=self._sample, daemon=True).start()

    def _all(self):
        try:
            return [self.root, *self.root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def memory(self):
        """Returns the memory of all processes in bytes, where what they share counts once."""
        total = 0
        for process in self._all():
            try:
                total += process.memory_full_info().pss
            except psutil.Error:
                pass
        return total

    def descriptors(self):
        """Returns the number of open descriptors of all processes."""
        total = 0
        for process in self._all():
            try:
                total += process.num_fds()
            except psutil.Error:
                pass
        return total

    def seconds(self):
        """Returns the processor time so far, in seconds."""
        total = 0
        for process in self._all():
            try:
                times = process.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
            except psutil.Error:
                pass
        return total

    def _sample(self):
        while self.is_sampling:
            self.peak = max(self.peak, self.memory())
            time.sleep(1)

    def wait(self, url):
        """Waits until a URL answers, whatever the status."""
        for _ in range(200):
            try:
                urllib.request.urlopen(url, timeout=5).read()
                return self
            except urllib.error.HTTPError:
                return self
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise SystemExit(f"{self.name} does not answer at {url}")

    def stop(self):
        atexit.unregister(self.stop)
        self.is_sampling = False
        processes = self._all()
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        # A parent that is told to end does not always tell its children.
        for process in processes:
            try:
                process.kill()
            except psutil.Error:
                pass


def origin(folder, data):
    """nginx with the files, and its own image filter if that module is installed."""
    module = pathlib.Path("/usr/lib/nginx/modules/ngx_http_image_filter_module.so")
    text = NGINX.format(
        folder=folder, data=data, port=ORIGIN, modules=f"load_module {module};" if module.exists() else "",
        locations=FILTER % data if module.exists() else "")
    (folder / "nginx.conf").write_text(text)
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    command = [nginx, "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]
    return Server("nginx", command, log=folder / "nginx.log").wait(f"http://127.0.0.1:{ORIGIN}/0.jpg")


def ours(folder, program, caching=False, variables=None, **settings):
    """This server, with or without its caches."""
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    environment = {
        "TINTYPE_UNSIGNED": "true", "TINTYPE_BIND": f"127.0.0.1:{OURS}", "TINTYPE_ACCESS_LOG": "false",
        "TINTYPE_METRICS_BIND": f"127.0.0.1:{METRICS}", "TINTYPE_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true",
        "TINTYPE_ALLOWED_SOURCES": f"http://127.0.0.1:{ORIGIN}/", "TINTYPE_CACHE_DIRECTORY": str(cache),
    }
    if not caching:
        environment |= {"TINTYPE_CACHE_MEMORY_BYTES": "1", "TINTYPE_CACHE_DISK_BYTES": "0"}
    environment |= {"TINTYPE_" + name: str(value) for name, value in settings.items()}
    environment |= variables or {}
    server = Server("tintype-server", [program], environment, folder / "ours.log")
    return server.wait(f"http://127.0.0.1:{OURS}/health/live")


def thumbor(folder, program, processes=2):
    """thumbor without storages, a process for each core."""
    (folder / "thumbor.conf").write_text(THUMBOR_SETTINGS)
    command = [program, "-i", "127.0.0.1", "-p", str(THUMBOR), "-c", str(folder / "thumbor.conf"), "-l", "error"]
    command += ["--processes", str(processes)]
    return Server("thumbor", command, log=folder / "thumbor.log").wait(f"http://127.0.0.1:{THUMBOR}/healthcheck")
