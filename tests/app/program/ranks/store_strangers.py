# SPDX-License-Identifier: MIT
"""Programs that connect to the store of a run and do not belong to it."""

import contextlib
import os
import socket
import struct
import threading
import time

GREETING = b"HRSTORE1"
ADMIT, FAIL = 0, 11  # calls of the store


def text(value):
    return struct.pack("<I", len(value)) + value


def frame(body):
    return struct.pack("<I", len(body)) + body


class Store:
    """Where it listens."""

    def __init__(self, port, host="127.0.0.1"):
        self.address = (host, port)
        self.reached = threading.Event()  # a connection was made

    def connect(self, answer_s=30):
        connection = socket.create_connection(self.address, timeout=30)
        connection.settimeout(answer_s)
        self.reached.set()
        return connection

    def greeted(self):
        connection = self.connect()
        greeting = b""
        while len(greeting) < len(GREETING) + 32:
            more = connection.recv(64)
            if not more:
                raise ConnectionError("the store closed the connection")
            greeting += more
        return connection, greeting[len(GREETING):]


# Each attack returns the number of its connections.


def send_garbage(store):
    made = 0
    for _ in range(20):
        with contextlib.suppress(OSError), store.connect() as connection:
            made += 1
            connection.sendall(os.urandom(100_000))
    return made


def send_endless_message(store):
    """One that claims 4 GiB, and one that is not longer than allowed and never ends."""
    connections = []
    with contextlib.suppress(OSError):
        connections.append(store.connect())
        connections[-1].sendall(b"\xff" * 4 + bytes(1_000_000))
    with contextlib.suppress(OSError):
        connections.append(store.connect())
        connections[-1].sendall(struct.pack("<I", 4000))
        for _ in range(15):
            connections[-1].sendall(b"x")
            time.sleep(0.1)
    for connection in connections:
        connection.close()
    return len(connections)


def replay(store, recorded):
    """What an honest rank said at its admission, to another challenge of the store. Returns its answers."""
    answers = []
    for _ in range(5):
        with contextlib.suppress(OSError):
            connection, _ = store.greeted()
            with connection:
                connection.sendall(recorded + frame(struct.pack("<QB", 2, FAIL) + text(b"replayed")))
                answers.append(connection.recv(4096))
    return answers


def forge_failure(store):
    """Reports a failure without admission, and after an admission without the secret."""
    made, failure = 0, frame(struct.pack("<QB", 2, FAIL) + text(b"forged"))
    for rank in (0, 1):
        admission = frame(struct.pack("<QB", 1, ADMIT) + text(bytes(32)) + text(bytes(32)) + text(b"/0") + struct.pack("<III", 0, 2, rank) +
                          text(b"stranger") + b"\x01")
        for said in (failure, admission + failure):
            with contextlib.suppress(OSError):
                connection, _ = store.greeted()
                with connection:
                    made += 1
                    connection.sendall(said)
                    connection.recv(4096)
    return made


def stay_silent(store, count=300):
    connections = []
    for _ in range(count):
        with contextlib.suppress(OSError):
            connections.append(store.connect())
    time.sleep(1.0)
    for connection in connections:
        connection.close()
    return len(connections)


class Eavesdropper:
    """Stands between a rank and its store, passes everything on and keeps the first bytes of the rank's first connection."""

    def __init__(self, store):
        self.store = store
        self.heard = b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sockets = [self.listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                inner, _ = self.listener.accept()
                outer = self._reach_store()
                outer.settimeout(None)
                self.sockets += [inner, outer]
                first = len(self.sockets) == 3
                threading.Thread(target=self._pass_on, args=(inner, outer, first), daemon=True).start()
                threading.Thread(target=self._pass_on, args=(outer, inner, False), daemon=True).start()

    def _reach_store(self):
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.store.connect()
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _pass_on(self, source, sink, keep):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if keep and not self.heard:
                    self.heard = data
                sink.sendall(data)
        for side in (source, sink):
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def close(self):
        for one in self.sockets:
            one.close()
