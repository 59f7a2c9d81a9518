"""A server on loopback for the tests: files of a folder or of a dict, with ranges and with faults."""

import contextlib
import hashlib
import http.server
import os
import re
import socketserver
import threading
from urllib.parse import unquote, urlsplit


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """files: bytes by path without the first slash; root: a folder. requests lists (method, path, Range)."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, files=None, root=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.root, self.requests, self.lock = files if files is not None else {}, root, [], threading.Lock()
        self.ranges, self.tags = True, True
        self.faults = {}  # by path: a list of functions of the handler, each used once, before a file is sent

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        pass  # a client that went away

    def count(self, path):
        return sum(p == path for _, p, _ in self.requests)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = unquote(urlsplit(self.path).path).lstrip("/")
        with self.server.lock:
            self.server.requests.append((self.command, path, self.headers.get("Range")))
            faults = self.server.faults.get(path)
            fault = faults.pop(0) if faults else None
        if fault and fault(self):
            return
        data = self.find(path)
        if data is None:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        tag = '"' + hashlib.sha256(data).hexdigest()[:16] + '"'
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        held = self.headers.get("If-Range")
        if span and self.server.ranges and (held is None or held == tag):
            start, end = int(span[1]), min(int(span[2] or len(data) - 1), len(data) - 1)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{end}/{len(data)}")
            data = data[start : end + 1]
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        if self.server.tags:
            self.send_header("ETag", tag)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def find(self, path):
        if path in self.server.files:
            return self.server.files[path]
        if self.server.root:
            file = os.path.join(self.server.root, path)
            if os.path.isfile(file):
                with open(file, "rb") as f:
                    return f.read()
        return None


def cut(at):
    """A fault: the connection ends after so many bytes of the file."""

    def fault(h):
        data = h.find(unquote(urlsplit(h.path).path).lstrip("/"))
        h.send_response(200)
        h.send_header("Content-Length", str(len(data)))
        h.send_header("ETag", '"' + hashlib.sha256(data).hexdigest()[:16] + '"')
        h.end_headers()
        h.wfile.write(data[:at])
        h.wfile.flush()
        h.close_connection = True
        return True

    return fault


def answer(status):
    """A fault: a status without a file."""

    def fault(h):
        h.send_response(status)
        h.send_header("Content-Length", "0")
        h.end_headers()
        return True

    return fault


@contextlib.contextmanager
def serving(files=None, root=None):
    """Runs a server in a thread."""
    with Server(files, root) as s:
        t = threading.Thread(target=s.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        t.start()
        try:
            yield s
        finally:
            s.shutdown()
            t.join()
