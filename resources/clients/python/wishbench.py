"""Client of a Wishbench: ten FPGA nodes behind a REST service, from HDL to registers in one line.

    import wishbench

    with wishbench.Bench().program("echo.v") as node:
        node.write(0x10, [1, 2, 3])
        print(node.read(0x10, 3))

It is one file for Python 3.9 and later and needs only the standard library: copy it next to a script, or put its folder
on PYTHONPATH. ``Bench()`` finds the service by WISHBENCH_URL, by default http://127.0.0.1:8000. It calls with
WISHBENCH_KEY, by default the user's name. Addresses are byte addresses, multiples of 4; words are unsigned 32-bit
integers; times are seconds. Every failure is a :class:`WishbenchError` with a code, a message and a remedy; that of a
job also has the end of its log. docs/clients-python.md is the longer introduction.

As a pytest plugin (``pytest_plugins = ["wishbench"]`` in conftest.py) it has the fixtures ``wishbench_bench``,
``wishbench_program`` and ``wishbench_node``.
"""

from __future__ import annotations

import base64
import codecs
import getpass
import hashlib
import http.client
import io
import json
import logging
import os
import re
import secrets
import select
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse
import zipfile
from array import array
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union
from typing import overload

__all__ = [
    "Bench",
    "Node",
    "NodeStatus",
    "Job",
    "WishbenchError",
    "Unreachable",
    "Untrusted",
    "Refused",
    "JobFailed",
    "JobCancelled",
    "BusFault",
    "SessionLost",
    "TimedOut",
]

DEFAULT_URL = "http://127.0.0.1:8000"
#: Lines of a job's log in an error.
LOG_TAIL = 25
#: Words per run if the service does not tell its limit.
WORDS_PER_RUN = 65_536
#: Maximum wait of one request for a change of a job, seconds; the service allows 60.
_LONG_POLL = 30.0
#: Pause between attempts while the service is down or no node is idle, seconds.
_PAUSE = 0.2
#: Maximum message of a service on a stream: the words that a frame can count, and its header.
_LONGEST_MESSAGE = 4 + 4 * 0xFF_FFFF
#: Minimum size of a project to send as an archive, bytes; an archive is a fifth as large.
_PACKED_FROM = 256 << 10
_VIEWER = "wishbench.v1+viewer"  # docs/stream.md
_LAST_WORD = 0xFFFF_FFFF

#: How long a checked session counts as valid, seconds: no node changes holders faster than it is flashed twice.
_HANDOVER = 0.05

Path = Union[str, "os.PathLike[str]"]
#: One source, or the files of a project.
Design = Union[Path, Sequence[Path]]
Json = Dict[str, Any]
#: The value of an input; a mapping with ``value`` and ``mask`` sets some of its bits.
PinValue = Union[int, str, Mapping[str, Union[int, str]]]

_log = logging.getLogger("wishbench")


# ---------------------------------------------------------------------------------------------------------- errors


def _sentences(*messages: str) -> str:
    """Joins messages, and adds missing full stops: messages of the tools have none."""
    texts = [message.rstrip() for message in messages if message and message.strip()]
    return " ".join(text if re.search(r"[.!?…:][)\]]?$", text) else f"{text}." for text in texts)


class WishbenchError(Exception):
    """A failure, in the service's words if it answered.

    :ivar code: a code of docs/errors.md, or one of this client: ``unreachable``, ``certificate_untrusted``,
        ``bus_fault``, ``session_lost``, ``timed_out``, ``job_cancelled``, ``http_<status>``.
    :ivar message: what happened.
    :ivar remedy: what to do; empty if unknown.
    :ivar log: the last lines of the job's log; empty without a job.
    :ivar job_id: the job of the error, or None.
    """

    def __init__(
        self, code: str, message: str, remedy: str = "", *, log: Iterable[str] = (), job_id: Optional[str] = None
    ) -> None:
        super().__init__(code, message, remedy)
        self.code = code
        self.message = message
        self.remedy = remedy
        self.log: List[str] = list(log)
        self.job_id = job_id

    def __str__(self) -> str:
        lines = [f"{self.code}: {_sentences(self.message, self.remedy)}".rstrip()]
        if self.log:
            lines.append(f"The end of the log of job {self.job_id}:")
            lines.extend(f"  {line}" for line in self.log)
        return "\n".join(lines)


class Unreachable(WishbenchError, ConnectionError):
    """No service answers, or it stopped answering. The request may or may not have been carried out."""


class Untrusted(WishbenchError):
    """The caller does not trust the service's certificate. Nothing was sent."""


class Refused(WishbenchError):
    """The service refuses a request.

    :ivar status: the HTTP status.
    :ivar fields: for a 422, the problems of the request's fields: ``loc``, ``msg`` and ``type`` of each.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        remedy: str = "",
        *,
        job_id: Optional[str] = None,
        fields: Iterable[Json] = (),
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(code, message, remedy, job_id=job_id)
        self.status = status
        self.fields: List[Json] = list(fields)
        self.retry_after = retry_after

    def __str__(self) -> str:
        fields = [f"  {'.'.join(map(str, one.get('loc', [])))}: {one.get('msg', '')}" for one in self.fields]
        return "\n".join([super().__str__(), *fields])


class JobFailed(WishbenchError):
    """A job failed: a design that does not build, a board that cannot be reached.

    :ivar job: the ended job.
    :ivar diagnostics: the diagnostics of the design: ``severity``, ``code``, ``message``, and ``file``, ``line``,
        ``column``, ``module``, ``port``, ``net`` if they are known.
    """

    def __init__(self, job: Job) -> None:
        failure: Json = job.data.get("failure") or {}
        super().__init__(
            failure.get("error", "job_failed"),
            failure.get("message", "The job failed."),
            failure.get("remedy", "Its log says more."),
            log=job.tail(),
            job_id=job.id,
        )
        self.job = job
        self.diagnostics: List[Json] = list(failure.get("diagnostics") or ())


class JobCancelled(WishbenchError):
    """The job was cancelled."""


class BusFault(WishbenchError):
    """The design did not acknowledge a transaction, or answered it with err.

    :ivar address: the byte address of the fault; if unknown, the first address of the transaction.
    """

    def __init__(
        self, address: int, message: str, *, log: Iterable[str] = (), job_id: Optional[str] = None
    ) -> None:
        super().__init__(
            "bus_fault", message, "Does the design answer at this address?", log=log, job_id=job_id
        )
        self.address = address


class SessionLost(WishbenchError):
    """This caller does not hold the node any more: the session expired, or somebody released or reset the node."""


class TimedOut(WishbenchError, TimeoutError):
    """The wait was longer than its timeout."""


def _refusal(status: int, headers: Mapping[str, str], content: bytes) -> Refused:
    """The error of an answer other than 2xx, from its envelope ``{"detail": {…}}`` if there is one."""
    try:
        detail = json.loads(content)["detail"]
        code, text = str(detail["error"]), str(detail["message"])
    except (ValueError, KeyError, TypeError):
        # A proxy may have answered; it has no envelope.
        return Refused(status, f"http_{status}", f"The service answered with status {status}.")
    # The first sentence is the message, the rest the remedy.
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text, maxsplit=1)
    seconds = headers.get("retry-after", "")
    return Refused(
        status,
        code,
        sentences[0],
        sentences[1] if len(sentences) > 1 else "",
        job_id=detail.get("job_id"),
        fields=detail.get("errors") or (),
        retry_after=float(seconds) if seconds.isdigit() else None,
    )


# ------------------------------------------------------------------------------------------------------------ HTTP


class _Answer:
    """A whole answer of the service."""

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.status = status
        self.headers = headers
        self.content = content

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")


class _Http:
    """Requests to one service over a pool of connections, from any number of threads."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        timeout: float,
        reconnect: float,
        ca_file: Optional[Path],
        fingerprint: Optional[str],
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"The address of a bench must be one such as {DEFAULT_URL}, not {url!r}.")
        if parts.username is not None or parts.password is not None:
            raise ValueError("An address must not have a key: pass it as key, or set WISHBENCH_KEY.")
        if parts.scheme == "http" and (ca_file is not None or fingerprint is not None):
            raise ValueError(f"{url} has no certificate to check: give an address with https://.")
        self.url = url.rstrip("/")
        self.headers = headers
        self.timeout = timeout
        self.reconnect = reconnect
        self._host: str = parts.hostname
        self._port: int = parts.port or (443 if parts.scheme == "https" else 80)
        self.authority = parts.netloc
        self.prefix = parts.path.rstrip("/")
        self._fingerprint: Optional[str] = None
        self._tls: Optional[ssl.SSLContext] = None
        if parts.scheme == "https":
            self._tls = ssl.create_default_context(cafile=None if ca_file is None else os.fspath(ca_file))
            if fingerprint is not None:
                self._fingerprint = fingerprint.replace(":", "").replace(" ", "").lower()
                if not re.fullmatch("[0-9a-f]{64}", self._fingerprint):
                    raise ValueError("A fingerprint must be the SHA-256 of the certificate: 64 hex digits, colons allowed.")
                # Only the fingerprint counts: the issuer and the host name do not matter.
                self._tls.check_hostname = False
                self._tls.verify_mode = ssl.CERT_NONE
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        #: Whether the service has ever answered; requests wait only for one that has.
        self.answered = False

    def connect(self) -> socket.socket:
        """A new connection to the service, with its certificate checked.

        :raises Untrusted: before anything is sent.
        :raises OSError: if no service answers.
        """
        plain = socket.create_connection((self._host, self._port), self.timeout)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is None:
                return plain
            try:
                secure = self._tls.wrap_socket(plain, server_hostname=self._host)
            except ssl.SSLCertVerificationError as error:
                raise Untrusted(
                    "certificate_untrusted",
                    f"The certificate of {self.url} is not trusted: {error.verify_message}.",
                    "Pass the ca_file of its issuer, or the fingerprint in the bench's settings.",
                ) from error
        except BaseException:
            plain.close()
            raise
        if self._fingerprint is not None:
            found = hashlib.sha256(secure.getpeercert(binary_form=True) or b"").hexdigest()
            if not secrets.compare_digest(found, self._fingerprint):
                secure.close()
                raise Untrusted(
                    "certificate_untrusted",
                    f"The certificate of {self.url} has the fingerprint {found}, not the trusted one.",
                    "Compare it with the one in the bench's settings; another computer may be answering.",
                )
        return secure

    def _take(self) -> http.client.HTTPConnection:
        """An idle connection, or a new one."""
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                connection = http.client.HTTPConnection(self._host, self._port, timeout=self.timeout)
                # http.client would reopen it without the certificate check.
                connection.auto_open = 0
                connection.sock = self.connect()
                return connection
            # A readable idle connection was closed by the service.
            if connection.sock is not None and not _readable(connection.sock):
                return connection
            connection.close()

    def open(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[bytes] = None,
        content_type: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        wait: float = 0.0,
        repeatable: Optional[bool] = None,
    ) -> Tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Sends a request; returns the response before its body is read.

        While the service restarts or limits the rate, this retries for ``reconnect`` seconds. A request that may have
        reached the service is sent again only if it is repeatable, as GET and DELETE are.

        :param wait: seconds for which the service may delay the answer.
        :raises Unreachable: if no service answers.
        """
        parameters = {key: _query_value(value) for key, value in (query or {}).items() if value is not None}
        target = self.prefix + path + (f"?{urllib.parse.urlencode(parameters)}" if parameters else "")
        all_headers: Dict[str, str] = {"Host": self.authority, **self.headers, **(headers or {})}
        if content_type is not None:
            all_headers["Content-Type"] = content_type
        again = method in ("GET", "DELETE") if repeatable is None else repeatable
        deadline = time.monotonic() + self.reconnect
        while True:
            may_repeat = True
            connection: Optional[http.client.HTTPConnection] = None
            try:
                connection = self._take()
                may_repeat = again
                if connection.sock is not None:
                    connection.sock.settimeout(self.timeout + wait)
                connection.request(method, target, body=body, headers=all_headers)
                response = connection.getresponse()
            except (OSError, http.client.HTTPException) as error:
                if connection is not None:
                    connection.close()
                if self.answered and may_repeat and time.monotonic() < deadline:
                    time.sleep(_PAUSE)
                    continue
                raise self.unreachable(error, sent=not may_repeat) from error
            except BaseException:
                # After an interrupt the next request would read this answer.
                if connection is not None:
                    connection.close()
                raise
            self.answered = True
            return connection, response

    def unreachable(self, error: Exception, *, sent: bool = False) -> Unreachable:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Unreachable(
            "unreachable",
            f"No service answers at {self.url} ({reason})."
            if not sent
            else f"{self.url} stopped answering ({reason}): the request may or may not have been carried out.",
            "Start one, or give the address of a running one with Bench(url) or WISHBENCH_URL."
            if not sent
            else "Check the state of the node before you continue.",
        )

    def request(self, method: str, path: str, **options: Any) -> _Answer:
        """One request with its whole answer; takes the parameters of :meth:`open`.

        :raises Refused: for an answer other than 2xx.
        """
        deadline = time.monotonic() + self.reconnect
        while True:
            connection, response = self.open(method, path, **options)
            try:
                content = response.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                if method == "GET" and time.monotonic() < deadline:
                    continue
                raise self.unreachable(error, sent=True) from error
            except BaseException:
                connection.close()
                raise
            self.give_back(connection, response)
            headers = {name.lower(): value for name, value in response.getheaders()}
            if 200 <= response.status < 300:
                return _Answer(response.status, headers, content)
            refusal = _refusal(response.status, headers, content)
            # Neither carried anything out: the caller is too fast, or the service is about to restart.
            patience = refusal.retry_after if refusal.code == "rate_limited" else None
            if refusal.code == "service_stopping":
                patience = _PAUSE
            if patience is None or time.monotonic() + patience > deadline:
                raise refusal
            time.sleep(patience)

    def give_back(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        if response.will_close or connection.sock is None:
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)

    def close(self) -> None:
        with self._lock:
            connections, self._idle = self._idle, []
        for connection in connections:
            connection.close()

    def __del__(self) -> None:
        # A short script may close nothing. If __init__ raised, there is no list.
        for connection in getattr(self, "_idle", ()):
            connection.close()


def _header(text: str) -> str:
    """Encodes a header as UTF-8: http.client writes Latin-1."""
    if "\r" in text or "\n" in text:
        raise ValueError("A key must be one line.")
    return text.encode().decode("latin-1")


def _query_value(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value)


def _readable(sock: socket.socket) -> bool:
    """Whether there is something to read, the end of the connection included."""
    if isinstance(sock, ssl.SSLSocket) and sock.pending() > 0:
        return True
    if hasattr(select, "poll"):
        # Unlike select(), it has no limit of open files.
        poller = select.poll()
        poller.register(sock, select.POLLIN)
        return bool(poller.poll(0))
    return bool(select.select([sock], [], [], 0)[0])


def _as_sent(files: Sequence[Tuple[str, bytes]]) -> Sequence[Tuple[str, bytes]]:
    """The files to send: a large project goes as an archive, whose limit is higher."""
    if len(files) < 2 or sum(len(contents) for _, contents in files) < _PACKED_FROM:
        return files
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, contents in files:
            # No time stamp: equal files give equal archives.
            packed.writestr(zipfile.ZipInfo(name), contents, zipfile.ZIP_DEFLATED)
    stem = os.path.splitext(files[0][0].rpartition("/")[2])[0]
    return [(f"{stem}.zip", archive.getvalue())]


def _form(files: Sequence[Tuple[str, bytes]], fields: Mapping[str, str]) -> Tuple[bytes, str]:
    """A multipart form with the files of a design; returns the body and its content type."""
    boundary = f"wishbench-{secrets.token_hex(16)}"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
        for key, value in fields.items()
    ]
    for name, contents in files:
        quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        parts += [
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n".encode(),
            contents,
            b"\r\n",
        ]
    return b"".join([*parts, f"--{boundary}--\r\n".encode()]), f"multipart/form-data; boundary={boundary}"


# ------------------------------------------------------------------------------------------------------- WebSocket


class _StreamClosed(Exception):
    """The other end closed the stream, or broke its rules."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{reason or 'closed'} ({code})")
        self.code = code
        self.reason = reason


class _WebSocket:
    """The client side of RFC 6455, for whole messages."""

    _GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
    _CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10

    def __init__(self, http_: _Http, path: str, headers: Mapping[str, str], protocol: Optional[str] = None) -> None:
        """Opens the stream.

        :param protocol: the subprotocol; its messages are text.
        :raises Refused: if the service answers with anything but the upgrade.
        :raises OSError: if it does not answer.
        """
        self._socket = http_.connect()
        self._received = bytearray()
        self._data = self._BINARY if protocol is None else self._TEXT
        wanted = {} if protocol is None else {"Sec-WebSocket-Protocol": protocol}
        try:
            nonce = base64.b64encode(os.urandom(16))
            lines = [
                f"GET {http_.prefix}{path} HTTP/1.1\r\nHost: {http_.authority}\r\n".encode(),
                b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n",
                b"Sec-WebSocket-Key: " + nonce + b"\r\n",
                *(f"{name}: {value}\r\n".encode("latin-1") for name, value in {**http_.headers, **headers, **wanted}.items()),
                b"\r\n",
            ]
            self._socket.sendall(b"".join(lines))
            while b"\r\n\r\n" not in self._received:
                if len(self._received) > 65_536:
                    raise _StreamClosed(1002, "the answer to the upgrade is too long")
                self._more()
            head, _, rest = bytes(self._received).partition(b"\r\n\r\n")
            status_line, _, header_lines = head.partition(b"\r\n")
            words = status_line.split(None, 2)
            status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
            answered = http.client.parse_headers(io.BytesIO(header_lines + b"\r\n\r\n"))
            self._received = bytearray(rest)
            if status != 101:
                length = answered.get("content-length", "0")
                while len(self._received) < min(int(length) if length.isdigit() else 0, 65_536):
                    self._more()
                raise _refusal(status, {}, bytes(self._received))
            expected = base64.b64encode(hashlib.sha1(nonce + self._GUID, usedforsecurity=False).digest()).decode()
            if answered.get("sec-websocket-accept") != expected:
                raise _StreamClosed(1002, "the answer to the upgrade is not a WebSocket handshake")
            if protocol is not None and answered.get("sec-websocket-protocol") != protocol:
                raise _StreamClosed(1002, "the service does not know the subprotocol")
        except BaseException:
            self._socket.close()
            raise

    def _more(self) -> None:
        data = self._socket.recv(262_144)
        if not data:
            raise _StreamClosed(1006, "the connection ended")
        self._received += data

    def _take(self, count: int) -> bytes:
        while len(self._received) < count:
            self._more()
        data = bytes(self._received[:count])
        del self._received[:count]
        return data

    def send(self, payload: bytes, opcode: int = _BINARY) -> None:
        """Sends a message as one frame, masked as section 5.3 requires."""
        length = len(payload)
        if length < 126:
            head = struct.pack(">BB", 0x80 | opcode, 0x80 | length)
        elif length < 65_536:
            head = struct.pack(">BBH", 0x80 | opcode, 0x80 | 126, length)
        else:
            head = struct.pack(">BBQ", 0x80 | opcode, 0x80 | 127, length)
        mask = os.urandom(4)
        # Masking one big number is far faster than masking byte by byte.
        keys = int.from_bytes((mask * (length // 4 + 1))[:length], "big")
        masked = (int.from_bytes(payload, "big") ^ keys).to_bytes(length, "big")
        self._socket.sendall(head + mask + masked)

    def _frame(self) -> Tuple[int, bool, bytes]:
        first, second = self._take(2)
        opcode, length = first & 0x0F, second & 0x7F
        if first & 0x70 or second & 0x80 or (opcode >= self._CLOSE and (length > 125 or not first & 0x80)):
            raise _StreamClosed(1002, "the service sent an invalid frame")
        if length == 126:
            (length,) = struct.unpack(">H", self._take(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self._take(8))
        if length > _LONGEST_MESSAGE:
            raise _StreamClosed(1009, "the service sent a message that is too long")
        return opcode, bool(first & 0x80), self._take(length)

    def receive(self) -> bytes:
        """The next message; answers pings meanwhile.

        :raises _StreamClosed: if the service closes the stream.
        """
        message = bytearray()
        while True:
            opcode, final, payload = self._frame()
            if opcode == self._PING:
                self.send(payload, self._PONG)
            elif opcode == self._CLOSE:
                code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 1005
                try:
                    self.send(payload[:2], self._CLOSE)
                except OSError:
                    pass
                raise _StreamClosed(code, payload[2:].decode("utf-8", "replace"))
            elif opcode in (self._data, self._CONTINUATION):
                message += payload
                if len(message) > _LONGEST_MESSAGE:
                    raise _StreamClosed(1009, "the service sent a message that is too long")
                if final:
                    return bytes(message)
            elif opcode != self._PONG:
                raise _StreamClosed(1003, "the service sent messages of another kind")

    def settle(self, timeout: float) -> None:
        """Handles pings, and the end of the stream, between two messages.

        :raises _StreamClosed: if the service has closed the stream.
        """
        self._socket.settimeout(timeout)
        while self._received or _readable(self._socket):
            opcode, _, payload = self._frame()
            if opcode == self._PING:
                self.send(payload, self._PONG)
            elif opcode == self._CLOSE:
                code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 1005
                raise _StreamClosed(code, payload[2:].decode("utf-8", "replace"))
            elif opcode != self._PONG:
                raise _StreamClosed(1002, "the service sent an unexpected message")

    def close(self) -> None:
        """Closes the stream without waiting for the answer."""
        try:
            self._socket.settimeout(1.0)
            self.send(struct.pack(">H", 1000), self._CLOSE)
        except OSError:
            pass
        self._socket.close()

    def abandon(self) -> None:
        self._socket.close()


# ------------------------------------------------------------------------------------------------------------ jobs


class Job:
    """A build, a run or a reset.

    :ivar data: the job in the service's last answer: docs/api.md, section Jobs.
    """

    def __init__(self, bench: Bench, data: Json) -> None:
        self._bench = bench
        self.data = data

    def __repr__(self) -> str:
        return f"<Job {self.id} on node {self.fpga_id}: {self.data.get('type', 'job')} {self.status}>"

    @property
    def id(self) -> str:
        """The job's UUID."""
        return str(self.data["job_id"])

    @property
    def fpga_id(self) -> Optional[int]:
        """The job's node, or None while it waits for any node."""
        fpga_id: Optional[int] = self.data.get("fpga_id")
        return fpga_id

    @property
    def status(self) -> str:
        """``queued``, ``running``, ``complete``, ``failed`` or ``cancelled``, at the last request."""
        return str(self.data["status"])

    @property
    def ended(self) -> bool:
        """Whether the job has ended; an ended job never changes."""
        return self.status in ("complete", "failed", "cancelled")

    @property
    def _path(self) -> str:
        return f"/jobs/{self.id}" if self.fpga_id is None else f"/fpga/{self.fpga_id}/jobs/{self.id}"

    def refresh(self, wait: float = 0.0) -> Job:
        """Updates the job. With ``wait`` it returns at a change of status, or after that many seconds, at most 60."""
        placed = self.fpga_id is not None
        query = {"wait": round(wait, 3) if wait > 0 else None}
        path = self._path + ("/details" if placed else "")
        self.data = self._bench._http.request("GET", path, query=query, wait=wait).json
        if not placed and self.fpga_id is not None:
            self.data = self._bench._http.request("GET", f"{self._path}/details").json
        return self

    def wait(self, timeout: Optional[float] = None, on_change: Optional[Callable[[Job], object]] = None) -> Job:
        """Waits until the job is complete.

        :param timeout: seconds; None has no limit.
        :param on_change: called with the job at each change of status.
        :raises JobFailed: with the end of the log.
        :raises JobCancelled: if it was cancelled.
        :raises TimedOut: after the timeout; the job goes on.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        seen = ""
        while True:
            if on_change is not None and self.status != seen:
                seen = self.status
                on_change(self)
            if self.ended:
                break
            left = _LONG_POLL if deadline is None else deadline - time.monotonic()
            if left <= 0:
                raise TimedOut(
                    "timed_out",
                    f"The job was still {self.status} after {timeout:g} s.",
                    "Wait longer, or cancel it.",
                    log=self.tail(),
                    job_id=self.id,
                )
            self.refresh(wait=min(left, _LONG_POLL))
        if self.status == "cancelled":
            raise JobCancelled("job_cancelled", "The job was cancelled.", log=self.tail(), job_id=self.id)
        if self.status == "failed":
            if "failure" not in self.data and self.fpga_id is not None:
                self.refresh()
            raise JobFailed(self)
        return self

    def log(self) -> str:
        """The whole log so far."""
        return self._bench._http.request("GET", f"{self._path}/logs").text

    def tail(self, lines: int = LOG_TAIL) -> List[str]:
        """The last lines of the log; none if it cannot be read."""
        try:
            return self.log().rstrip().splitlines()[-lines:]
        except WishbenchError:
            return []

    def follow(self) -> Iterator[str]:
        """The lines of the log, live, until the job ends. After a lost connection it continues at the same place."""
        offset = 0
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest = ""
        while True:
            query = {"follow": True, "offset": offset}
            http_ = self._bench._http
            connection, response = http_.open("GET", f"{self._path}/logs", query=query, wait=_LONG_POLL)
            try:
                if response.status != 200:
                    raise _refusal(response.status, {}, response.read())
                while True:
                    chunk = response.read1(65_536)
                    if not chunk:
                        break
                    offset += len(chunk)
                    *lines, rest = (rest + decoder.decode(chunk)).split("\n")
                    yield from lines
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, WishbenchError):
                    raise
            finally:
                connection.close()
            # The stream ends with the job. If it ended earlier, the connection was lost.
            if self.refresh().ended and offset >= len(self.log().encode()):
                break
        if rest:
            yield rest

    def cancel(self) -> None:
        """Cancels a job that is still queued.

        :raises Refused: ``job_not_cancellable`` after its start.
        """
        self._bench._http.request("DELETE", self._path)

    def report(self) -> Json:
        """Utilisation, timing and seconds of a build."""
        report: Json = self._bench._http.request("GET", f"{self._path}/report").json
        return report

    def bitstream(self) -> bytes:
        """The bitstream of the board."""
        return self._bench._http.request("GET", f"{self._path}/artifacts/bitstream").content

    def source(self) -> bytes:
        """The submitted source, byte for byte."""
        return self._bench._http.request("GET", f"{self._path}/source").content


# ----------------------------------------------------------------------------------------------------------- nodes


class NodeStatus:
    """A node in the list of nodes.

    :ivar fpga_id: 0 to 9.
    :ivar state: ``idle``, ``queued``, ``building``, ``programming``, ``reserved`` or ``error``.
    :ivar owner: its holder, or None.
    :ivar session_id: its session, or None.
    :ivar expires_at: end of the session without renewal, ISO 8601, or None.
    :ivar job_id: its running or queued job, or None.
    """

    def __init__(self, data: Json) -> None:
        session: Json = data.get("session") or {}
        self.fpga_id: int = data["fpga_id"]
        self.state: str = data["state"]
        self.owner: Optional[str] = session.get("owner") or data.get("owner")
        self.session_id: Optional[str] = session.get("session_id")
        self.expires_at: Optional[str] = session.get("expires_at")
        self.job_id: Optional[str] = data.get("current_job_id")

    def __repr__(self) -> str:
        return f"<Node {self.fpga_id}: {self.state}{'' if self.owner is None else f' for {self.owner}'}>"


class Registers:
    """The registers of a design by the names of its map, ignoring case.

    ``registers.CTRL = 5`` and ``registers["CTRL"] = 5`` write a register, ``int(registers.CTRL)`` reads it.
    """

    _node: Node
    _by_name: Dict[str, Json]

    def __init__(self, node: Node, register_map: Json) -> None:
        # Every other attribute is a register.
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_by_name", {one["name"].lower(): one for one in register_map["registers"]})

    def __dir__(self) -> List[str]:
        return [one["name"] for one in self._by_name.values()]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dir__())

    def __getitem__(self, name: str) -> Register:
        try:
            return Register(self._node, self._by_name.get(name.lower()) or self._word(name.lower()))
        except KeyError:
            raise KeyError(f"The map has no register {name}; it has {', '.join(self)}.") from None

    def _word(self, name: str) -> Json:
        # ``NAME[i]`` is a word of a register with several words.
        found = re.fullmatch(r"(.*)\[(\d{1,5})\]", name)
        whole = self._by_name[found[1] if found else name]
        index = int(found[2]) if found else 0
        if not index < whole.get("words", 1) > 1:
            raise KeyError(name)
        return {**whole, "name": f"{whole['name']}[{index}]", "address": whole["address"] + 4 * index}

    def __setitem__(self, name: str, value: int) -> None:
        self[name].write(value)

    def __getattr__(self, name: str) -> Register:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __setattr__(self, name: str, value: int) -> None:
        getattr(self, name).write(value)


class Register:
    """A register: ``read()``, ``write(word)``, and its fields as attributes: ``register.EN = "run"``."""

    _node: Node
    _data: Json

    def __init__(self, node: Node, data: Json) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_data", data)

    def __repr__(self) -> str:
        return f"<Register {self._data['name']} at 0x{self._data['address']:X}>"

    def __dir__(self) -> List[str]:
        return ["read", "write", *(one["name"] for one in self._data["fields"])]

    def read(self) -> int:
        """The current word."""
        return self._node.read(self._data["address"])

    def write(self, word: int) -> None:
        """Writes the whole word.

        :raises ValueError: for a read-only register.
        """
        if self._data["access"] == "ro":
            raise ValueError(f"{self._data['name']} is read only.")
        self._node.write(self._data["address"], word)

    def __int__(self) -> int:
        return self.read()

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        return self.read() == other if isinstance(other, int) else self is other

    def __hash__(self) -> int:
        return hash(self._data["address"])

    def _field(self, name: str) -> Json:
        for field in self._data["fields"]:
            if field["name"].lower() == name.lower():
                found: Json = field
                return found
        fields = ", ".join(one["name"] for one in self._data["fields"]) or "none"
        raise AttributeError(f"The register {self._data['name']} has no field {name}; it has {fields}.")

    def __getitem__(self, name: str) -> Union[int, str]:
        field = self._field(name)
        value = self.read() >> field["lsb"] & (2 << field["msb"] - field["lsb"]) - 1
        named: Union[int, str] = field.get("values", {}).get(str(value), value)
        return named

    def __setitem__(self, name: str, value: Union[int, str]) -> None:
        field = self._field(name)
        most = (2 << field["msb"] - field["lsb"]) - 1
        values = field.get("values", {})
        number = value
        if isinstance(value, str):
            number = next((int(one) for one, text in values.items() if text.lower() == value.lower()), value)
        what = f"{self._data['name']}.{field['name']}"
        if not isinstance(number, int) or not 0 <= number <= most:
            names = ", ".join(values.values())
            raise ValueError(f"{what} must be 0 to {most}{f' or one of {names}' if names else ''}, not {value!r}.")
        if field.get("access", self._data["access"]) == "ro":
            raise ValueError(f"{what} is read only.")
        # The other bits of a write-only register become zero.
        before = 0 if self._data["access"] == "wo" else self.read()
        self._node.write(self._data["address"], before & ~(most << field["lsb"]) | number << field["lsb"])

    def __getattr__(self, name: str) -> Union[int, str]:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: Union[int, str]) -> None:
        self[name] = value


class Node:
    """A node with a design, held by this caller. Used as a context manager it is released at the end.

    :ivar fpga_id: 0 to 9.
    :ivar session_id: the session.
    :ivar job: its build; None after :meth:`Bench.node`.
    """

    def __init__(self, bench: Bench, fpga_id: int, session_id: Optional[str], job: Optional[Job] = None) -> None:
        self._bench = bench
        self._http = bench._http
        self.fpga_id = fpga_id
        self.session_id = session_id
        self.job = job
        self._stream: Optional[_WebSocket] = None
        self._had_stream = False
        self._lock = threading.RLock()
        self._released = False
        self._registers: Optional[Registers] = None
        self._held_at = float("-inf")

    def __repr__(self) -> str:
        return f"<Node {self.fpga_id} in session {self.session_id}>"

    def __enter__(self) -> Node:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if error is None:
            self.release()
            return
        try:
            self.release()
        except WishbenchError as second:
            # The exception of the block matters more.
            _log.warning("Node %d could not be released: %s", self.fpga_id, second)

    @property
    def _headers(self) -> Dict[str, str]:
        if self.session_id is None:
            return {}
        return {"X-Bench-Session" if _is_behind(self._bench.url) else "X-Session-ID": self.session_id}

    # Registers

    @overload
    def read(self, address: int, count: None = None, *, fixed: bool = False) -> int: ...

    @overload
    def read(self, address: int, count: int, *, fixed: bool = False) -> List[int]: ...

    def read(self, address: int, count: Optional[int] = None, *, fixed: bool = False) -> Union[int, List[int]]:
        """Reads words from a byte address: one as a number, or a list of ``count`` words.

        :param fixed: read every word from the same address, such as a FIFO's register.
        :raises BusFault: if the design does not acknowledge.
        :raises SessionLost: if this caller does not hold the node any more.
        """
        wanted = 1 if count is None else count
        if wanted < 0:
            raise ValueError(f"A count must not be negative: {wanted}.")
        words: List[int] = []
        limit = self._bench._words_per_run()
        while len(words) < wanted:
            part = min(wanted - len(words), limit)
            place = address if fixed else address + 4 * len(words)
            words += self._transact(2, place, None, part, fixed)
        return words[0] if count is None else words

    def write(
        self,
        address: int,
        words: Union[int, Iterable[int]],
        *,
        fixed: bool = False,
        select: Optional[int] = None,
    ) -> None:
        """Writes one or more words from a byte address on.

        :param fixed: write every word to the same address, such as a FIFO's register.
        :param select: the bytes of one word to write, a bit each, 1 to 15: 0b0001 for bits 7 to 0.
        :raises BusFault: if the design does not acknowledge.
        :raises SessionLost: if this caller does not hold the node any more.
        """
        listed = [words] if isinstance(words, int) else list(words)
        for word in listed:
            if not isinstance(word, int) or not 0 <= word <= _LAST_WORD:
                raise ValueError(f"A word must be an integer from 0 to 0xFFFFFFFF, not {word!r}.")
        if select is not None:
            if len(listed) != 1 or not 1 <= select <= 15:
                raise ValueError("select needs one word and a value from 1 to 15.")
            if self._released:
                raise SessionLost("session_lost", f"Node {self.fpga_id} was released.", "Program it again.")
            self._run(1, address, listed, 1, False, select)
            return
        limit = self._bench._words_per_run()
        for start in range(0, len(listed), limit):
            part = listed[start : start + limit]
            self._transact(1, address if fixed else address + 4 * start, part, len(part), fixed)

    def poll(
        self,
        address: int,
        value: Optional[int] = None,
        *,
        mask: int = _LAST_WORD,
        until: Optional[Callable[[int], bool]] = None,
        timeout: float = 10.0,
        every: float = 0.01,
    ) -> int:
        """Reads a word until it has the wanted value, and returns it.

        Without ``value`` and ``until``, any set bit of ``mask`` ends the wait. A lost connection is opened again.

        :param value: the wanted value of the bits of ``mask``.
        :param until: alternative: a function that accepts the wanted word.
        :param timeout: seconds.
        :param every: pause between reads, seconds.
        :raises TimedOut: with the last word.
        """
        if until is None:
            if value is None:
                until = lambda word: word & mask != 0
            else:
                wanted = value & mask
                until = lambda word: word & mask == wanted
        elif value is not None:
            raise ValueError("Give value or until, not both.")
        deadline = time.monotonic() + timeout
        word: Optional[int] = None
        while True:
            try:
                word = self.read(address)
            except Unreachable:
                # Repeating a read does no harm in a poll.
                if time.monotonic() > deadline:
                    raise
            else:
                if until(word):
                    return word
            if time.monotonic() + every > deadline:
                last = "nothing" if word is None else f"0x{word:08X}"
                raise TimedOut(
                    "timed_out",
                    f"After {timeout:g} s the word at 0x{address:08X} of node {self.fpga_id} was {last}, "
                    "not the expected value.",
                    "Wait longer with timeout=, or check the design.",
                )
            time.sleep(every)

    def _transact(self, op: int, address: int, words: Optional[List[int]], count: int, fixed: bool) -> List[int]:
        """One transaction within the limit of a run, over the stream if there is one."""
        if not isinstance(address, int) or address % 4 or not 0 <= address <= 0xFFFF_FFFC:
            raise ValueError(f"An address must be a multiple of 4 from 0 to 0xFFFFFFFC, not {address!r}.")
        if self._released:
            raise SessionLost("session_lost", f"Node {self.fpga_id} was released.", "Program it again.")
        with self._lock:
            stream = self._open_stream()
            if stream is None:
                return self._run(op, address, words, count, fixed)
            return self._exchange(stream, op, address, words, count, fixed)

    # Registers over REST

    def _run(
        self,
        op: int,
        address: int,
        words: Optional[List[int]],
        count: int,
        fixed: bool,
        select: Optional[int] = None,
    ) -> List[int]:
        request: Json = {"op": op, "address": address}
        if select is not None:
            request["select"] = select
        if words is None:
            request["count"] = count
        else:
            request["data"] = words
        if fixed:
            request["fixed_address"] = True
        if time.monotonic() - self._held_at > _HANDOVER:
            # Without enforced keys the service accepts any run, and the node may have another holder.
            self._check_session()
        try:
            answer = self._http.request(
                "POST",
                f"/fpga/{self.fpga_id}/run",
                query={"wait": 5},
                body=json.dumps(request).encode(),
                content_type="application/json",
                headers=self._headers,
                wait=5.0,
            )
        except Refused as error:
            raise self._lost(error) from None
        result: Json = answer.json
        if "ok" not in result:
            # The run has not ended, or the service does not wait.
            job = Job(self._bench, result).wait()
            result = self._http.request("GET", f"{job._path}/result").json
        elif not result["ok"]:
            job_id = answer.headers["x-job-id"]
            job = Job(self._bench, {"job_id": job_id, "fpga_id": self.fpga_id, "status": "running"}).wait()
        self._held_at = time.monotonic()
        if not result["ok"]:
            log = job.tail()
            fault = re.search(r"bus fault at byte address (0x[0-9A-Fa-f]+): ([^\n]*)", "\n".join(log))
            place, reason = (int(fault[1], 16), fault[2]) if fault else (address, "")
            raise self._fault(op, place, reason, log, job.id)
        data: List[int] = result["data"]
        return data

    def _fault(
        self, op: int, address: int, reason: str, log: Iterable[str] = (), job_id: Optional[str] = None
    ) -> BusFault:
        why = reason or "the design did not acknowledge"
        return BusFault(
            address,
            f"The {'write to' if op == 1 else 'read of'} 0x{address:08X} on node {self.fpga_id} failed: {why}.",
            log=log,
            job_id=job_id,
        )

    def _lost(self, error: Refused) -> WishbenchError:
        """Turns a refusal for a lost session into a SessionLost; returns others unchanged."""
        if error.code not in ("fpga_not_reserved", "not_session_holder", "no_active_session"):
            return error
        return SessionLost("session_lost", f"Node {self.fpga_id}: {error.message}", error.remedy or "Program it again.")

    # Registers over the stream

    def _open_stream(self) -> Optional[_WebSocket]:
        """The stream to this node, reopened after a loss; None if the service has none."""
        if self._bench._transport == "rest" or self._bench._no_stream:
            return None
        if self._stream is not None:
            try:
                self._stream.settle(self._http.timeout)
                return self._stream
            except (OSError, _StreamClosed):
                self._drop_stream()
        if self._had_stream or time.monotonic() - self._held_at > _HANDOVER:
            # The node may have another holder: do not write into that design.
            self._check_session()
        deadline = time.monotonic() + self._http.reconnect
        while True:
            try:
                self._stream = _WebSocket(self._http, f"/fpga/{self.fpga_id}/stream", self._headers)
                self._had_stream = True
                return self._stream
            except Refused as error:
                if self._bench._transport == "stream":
                    raise self._lost(error) from None
                if error.code in ("too_many_open", "too_many_streams", "rate_limited"):
                    return None
                if error.status in (400, 404, 405, 426, 501):
                    # An older service, or a proxy that does not know WebSockets.
                    self._bench._no_stream = True
                    return None
                raise self._lost(error) from None
            except (OSError, _StreamClosed) as error:
                if time.monotonic() > deadline or not self._http.answered:
                    raise self._http.unreachable(error) from error
                time.sleep(_PAUSE)

    def _drop_stream(self) -> None:
        if self._stream is not None:
            self._stream.abandon()
            self._stream = None

    def _exchange(
        self, stream: _WebSocket, op: int, address: int, words: Optional[List[int]], count: int, fixed: bool
    ) -> List[int]:
        """One transaction as one message each way (docs/stream.md)."""
        kind = op | (0x80 if fixed else 0)
        if words is None:
            frame = struct.pack(">III", kind << 24 | 1, address, count)
        else:
            frame = struct.pack(">II", kind << 24 | len(words), address) + _packed(words)
        try:
            stream.send(frame)
            # A line of 115,200 baud carries about two words per millisecond.
            stream._socket.settimeout(self._http.timeout + count / 1000)
            answer = stream.receive()
        except socket.timeout as error:
            self._drop_stream()
            raise TimedOut(
                "timed_out",
                f"Node {self.fpga_id} did not answer in time: the transaction may or may not have been carried out.",
                "Check the state of the node before you continue.",
            ) from error
        except (OSError, _StreamClosed) as error:
            self._drop_stream()
            self._check_session()
            raise self._http.unreachable(error, sent=True) from error
        except BaseException:
            # After an interrupt the next transaction would read this answer.
            self._drop_stream()
            raise
        status, data = answer[0], _unpacked(answer[4:])
        if status != 0:
            raise self._stream_failure(op, address)
        return data

    def _stream_failure(self, op: int, address: int) -> WishbenchError:
        """The reason of a failed transaction over the stream, from the session's record: its answer has none."""
        error = ""
        try:
            page = self._http.request("GET", f"/fpga/{self.fpga_id}/transactions", query={"limit": 10}).json
            for one in page["transactions"]:
                if not one["ok"] and one["address"] == address and one["op"] == ("write" if op == 1 else "read"):
                    error = one["error"] or ""
                    break
        except WishbenchError:
            pass
        if error in ("", "bus_timeout", "bus_error"):
            return self._fault(op, address, "the design answered with err" if error == "bus_error" else "")
        what = "write to" if op == 1 else "read of"
        return WishbenchError(
            error,
            f"The {what} 0x{address:08X} on node {self.fpga_id} was not carried out.",
            "docs/errors.md says what the code means.",
        )

    def _check_session(self) -> None:
        """:raises SessionLost: if the session is over."""
        try:
            session = self._http.request("GET", f"/fpga/{self.fpga_id}/session", headers=self._headers).json
        except Refused as error:
            raise self._lost(error) from None
        if self.session_id is not None and session["session_id"] != self.session_id:
            raise SessionLost(
                "session_lost",
                f"{session['owner']} holds node {self.fpga_id} now.",
                "Program another node.",
            )

    # The node

    @property
    def registers(self) -> Registers:
        """The registers by the names of the design's map: ``node.registers.CTRL.EN = "run"``.

        :raises Refused: with the code ``no_register_map`` if there is none.
        """
        if self._registers is None:
            design = (self.details().get("design") or {}).get("design_id", "")
            self._registers = Registers(self, self._http.request("GET", f"/designs/{design}/map").json)
        return self._registers

    # Ports outside the bus

    def pins(self) -> List[Json]:
        """The ports of the design outside its bus; ``rose`` and ``fell`` since the last request of any caller."""
        return self._pins("GET", None)

    def set_pins(self, pins: Optional[Mapping[str, PinValue]] = None, **more: PinValue) -> List[Json]:
        """Sets inputs of the design, all or none: ``node.set_pins(sw=0x12)``. Returns all pins after that.

        ``node.set_pins(sw={"value": 0x8, "mask": 0x8})`` sets the bits of the mask and keeps the others of ``sw``.

        :raises Refused: if a name is not an input, or a value is too wide.
        """

        def encoded(value: PinValue) -> Any:
            if isinstance(value, Mapping):
                return {part: encoded(bits) for part, bits in value.items()}
            return hex(value) if isinstance(value, int) and value > _LAST_WORD else value

        values = {name: encoded(value) for name, value in {**(pins or {}), **more}.items()}
        return self._pins("PUT", {"pins": values})

    def terminal(self, start: int = 0) -> Optional[Json]:
        """The output of the design's serial line: ``text``, a character a byte, from byte ``at`` on; see docs/pins.md.

        None if the design has no such line.
        """
        output: Optional[Json] = self._terminal("GET", query={"from": start})
        return output

    def send_to_terminal(self, text: str = "", baud: Optional[int] = None) -> Json:
        """Sets the rate of the design's serial line, then sends to it, a byte a character."""
        body: Json = {"text": text, **({} if baud is None else {"baud": baud})}
        sent: Json = self._terminal("POST", body=_json(body), content_type=_JSON)
        return sent

    def _terminal(self, method: str, **options: Any) -> Any:
        if self._released:
            raise SessionLost("session_lost", f"Node {self.fpga_id} was released.", "Program it again.")
        answer = self._http.request(method, f"/fpga/{self.fpga_id}/terminal", headers=self._headers, **options)
        return answer.json if answer.content else None

    def _pins(self, method: str, body: Optional[Json]) -> List[Json]:
        if self._released:
            raise SessionLost("session_lost", f"Node {self.fpga_id} was released.", "Program it again.")
        options: Dict[str, Any] = {} if body is None else {"body": _json(body), "content_type": _JSON}
        listed: List[Json] = self._http.request(
            method, f"/fpga/{self.fpga_id}/pins", headers=self._headers, **options
        ).json["pins"]
        return listed

    # Colleagues and scripts

    def activity(self, limit: int = 20) -> List[Json]:
        """Who took, released, reset or handed over the node, newest first."""
        listed: List[Json] = self._http.request("GET", f"/fpga/{self.fpga_id}/activity", query={"limit": limit}).json
        return listed

    def transactions(self, limit: int = 100) -> List[Json]:
        """The transactions of this session, newest first."""
        page = self._http.request("GET", f"/fpga/{self.fpga_id}/transactions", query={"limit": limit}).json
        listed: List[Json] = page["transactions"]
        return listed

    def extend(self) -> Json:
        """Extends the session by a whole lifetime, without using the board."""
        session: Json = self._http.request("POST", f"/fpga/{self.fpga_id}/session/extend", headers=self._headers).json
        return session

    def hand_over(self, to: str) -> Json:
        """Hands the session over to another holder, with the design and its registers.

        This program does not hold the node any more: leaving its block does not release it.
        """
        with self._lock:
            session: Json = self._http.request(
                "POST", f"/fpga/{self.fpga_id}/session/handover", body=_json({"to": to}), content_type=_JSON, headers=self._headers
            ).json
            self._drop_stream()
            self._released = True
        return session

    def run_script(self, script: Optional[Json] = None) -> Json:
        """Runs a script on the node, by default that of the design. Returns its report."""
        body = {} if script is None else {"script": script}
        report: Json = self._http.request(
            "POST", f"/fpga/{self.fpga_id}/script", body=_json(body), content_type=_JSON, headers=self._headers
        ).json
        return report

    def recorded_script(self) -> Json:
        """The transactions of the session as a script."""
        script: Json = self._http.request("GET", f"/fpga/{self.fpga_id}/script").json["script"]
        return script

    def status(self) -> NodeStatus:
        """The current state of the node."""
        return NodeStatus(self._http.request("GET", f"/fpga/{self.fpga_id}").json)

    def details(self) -> Json:
        """The node with its board, its design and the reason of an error."""
        details: Json = self._http.request("GET", f"/fpga/{self.fpga_id}/details").json
        return details

    def report(self) -> Json:
        """Utilisation, timing and seconds of the node's build."""
        return self._build().report()

    def bitstream(self) -> bytes:
        """The bitstream of the board."""
        return self._build().bitstream()

    def log(self) -> str:
        """The log of the node's build."""
        return self._build().log()

    def _build(self) -> Job:
        if self.job is None:
            for job in self._bench.jobs(node=self.fpga_id, status="complete", limit=10_000):
                if job.data["type"] == "build_and_program":
                    self.job = job
                    break
            else:
                raise WishbenchError("job_not_found", f"The bench has no build of node {self.fpga_id} any more.")
        return self.job

    def release(self, timeout: float = 60.0) -> None:
        """Releases the node and waits until it is idle. Does nothing if this caller does not hold it any more."""
        with self._lock:
            if self._stream is not None:
                self._stream.close()
                self._stream = None
            if self._released:
                return
            try:
                self._check_session()
                answer = self._http.request(
                    "POST", f"/fpga/{self.fpga_id}/session/release", headers=self._headers, repeatable=True
                )
            except SessionLost:
                self._released = True
                return
            except Refused as error:
                if error.code != "no_active_session":
                    raise
                self._released = True
                return
            self._released = True
        Job(self._bench, answer.json).wait(timeout)

    def reset(self, timeout: float = 60.0) -> None:
        """Flashes the base SoC: the session ends and the node is idle. Also ends the state ``error``."""
        with self._lock:
            self._drop_stream()
            answer = self._http.request("POST", f"/fpga/{self.fpga_id}/reset", headers=self._headers, repeatable=True)
            self._released = True
        Job(self._bench, answer.json).wait(timeout)


_JSON = "application/json"


def _json(value: Json) -> bytes:
    return json.dumps(value).encode()


def _packed(words: Iterable[int]) -> bytes:
    """Words as big-endian bytes."""
    packed = array("I", words)
    if sys.byteorder == "little":
        packed.byteswap()
    return packed.tobytes()


def _unpacked(data: bytes) -> List[int]:
    words = array("I")
    words.frombytes(data)
    if sys.byteorder == "little":
        words.byteswap()
    return words.tolist()


# ----------------------------------------------------------------------------------------------------------- bench


class Bench:
    """A bench: its nodes, jobs and designs."""

    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        ca_file: Optional[Path] = None,
        fingerprint: Optional[str] = None,
        timeout: float = 10.0,
        reconnect: float = 30.0,
        transport: str = "auto",
        bench_key: Optional[str] = None,
    ) -> None:
        """
        :param url: address of the service; by default WISHBENCH_URL, else http://127.0.0.1:8000.
        :param key: the API key, or a name if keys are not enforced; by default WISHBENCH_KEY, else the user's name.
        :param ca_file: PEM file of the certificate's issuer; by default WISHBENCH_CA_FILE.
        :param fingerprint: SHA-256 of the only trusted certificate, from the bench's settings;
            WISHBENCH_FINGERPRINT.
        :param timeout: seconds for a connection, and for an answer.
        :param reconnect: seconds to wait for a service that has answered before and is gone.
        :param transport: transport of words: ``stream`` (WebSocket), ``rest``, or ``auto``: the stream if available.
        :param bench_key: the key for a bench behind another one, with a url such as http://hall-a:8000/benches/hall-b and
            a key for hall-a; by default WISHBENCH_BENCH_KEY, else the name in key. A key of hall-a never goes to hall-b.
        """
        if transport not in ("auto", "stream", "rest"):
            raise ValueError(f"The transport must be auto, stream or rest, not {transport!r}.")
        environment = os.environ
        name = key or environment.get("WISHBENCH_KEY") or environment.get("WISHBENCH_API_KEY") or _user()
        address = url or environment.get("WISHBENCH_URL") or DEFAULT_URL
        self._http = _Http(
            address,
            _who_calls(address, name, bench_key),
            timeout,
            reconnect,
            ca_file or environment.get("WISHBENCH_CA_FILE") or None,
            fingerprint or environment.get("WISHBENCH_FINGERPRINT") or None,
        )
        self._transport = transport
        #: The service has no streams, or no submit without a node.
        self._no_stream = False
        self._no_pool = False
        self._limit: Optional[int] = None

    @property
    def url(self) -> str:
        """Address of the service."""
        return self._http.url

    def __repr__(self) -> str:
        return f"<Bench {self.url}>"

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the idle connections. Held nodes stay held."""
        self._http.close()

    def _words_per_run(self) -> int:
        if self._limit is None:
            limits: Json = self.status().get("limits") or {}
            self._limit = int(limits.get("words_per_run", WORDS_PER_RUN))
        return self._limit

    # The state of the bench

    def health(self) -> bool:
        """Whether the service and its store work."""
        try:
            return bool(self._http.request("GET", "/health").json["status"] == "ok")
        except Refused as error:
            if error.status == 503:
                return False
            raise

    def status(self) -> Json:
        """The state of the bench: version, limits, caller."""
        status: Json = self._http.request("GET", "/status").json
        return status

    def request_control(self, fpga_id: int, note: Optional[str] = None) -> Json:
        """Requests control of a node from its holder, with a line of text."""
        body = {} if note is None else {"note": note}
        requested: Json = self._http.request("POST", f"/fpga/{fpga_id}/control", body=_json(body), content_type=_JSON).json
        return requested

    def withdraw_control_request(self, fpga_id: int) -> None:
        """Withdraws the request for control of a node."""
        self._http.request("DELETE", f"/fpga/{fpga_id}/control")

    def decline_control_request(self, fpga_id: int, owner: str) -> None:
        """Declines an owner's request for control of a node that the caller holds."""
        self._http.request("POST", f"/fpga/{fpga_id}/control/decline", body=_json({"owner": owner}), content_type=_JSON)

    def designs(self, owner: Optional[str] = None) -> List[Json]:
        """The built designs, latest first: the caller's own, those of an owner, or with ``*`` those of all."""
        listed: List[Json] = self._http.request("GET", "/designs", query={"owner": owner}).json
        return listed

    def design(self, design_id: str) -> Json:
        """A design with its versions."""
        found: Json = self._http.request("GET", f"/designs/{design_id}").json
        return found

    def nodes(self) -> List[NodeStatus]:
        """The ten nodes."""
        return [NodeStatus(one) for one in self._http.request("GET", "/fpga").json]

    def node(self, fpga_id: int) -> Node:
        """A node that the caller holds already, for example from another script.

        :raises SessionLost: if the node has no session.
        """
        node = Node(self, fpga_id, None)
        try:
            node.session_id = self._http.request("GET", f"/fpga/{fpga_id}/session").json["session_id"]
        except Refused as error:
            raise node._lost(error) from None
        return node

    def jobs(
        self,
        *,
        node: Optional[int] = None,
        status: Union[str, Iterable[str], None] = None,
        limit: int = 100,
        **filters: str,
    ) -> List[Job]:
        """Jobs, newest first, of one node or all.

        :param status: only jobs with these statuses.
        :param filters: other filters of the service, such as ``owner`` and ``type``.
        """
        statuses = [status] if isinstance(status, str) else None if status is None else list(status)
        path = "/jobs" if node is None else f"/fpga/{node}/jobs"
        query: Json = {"status": statuses, "limit": limit, **filters}
        return [Job(self, one) for one in self._http.request("GET", path, query=query).json]

    def job(self, job_id: str) -> Job:
        """A job of any node."""
        return Job(self, {"job_id": job_id, "fpga_id": None, "status": "queued"}).refresh()

    def logs(self, job_id: str, *, follow: bool = False) -> Iterator[str]:
        """The lines of a job's log; with ``follow`` also new ones, until the job ends."""
        job = self.job(job_id)
        return job.follow() if follow else iter(job.log().splitlines())

    def examples(self) -> List[Json]:
        """The example designs, each with transactions to try."""
        examples: List[Json] = self._http.request("GET", "/examples").json
        return examples

    def example(self, file: str) -> str:
        """The source of an example."""
        return self._http.request("GET", f"/examples/{urllib.parse.quote(file, safe='')}").text

    def scan(self, file: Design, *, contents: Union[str, bytes, None] = None, **options: Any) -> Json:
        """The matcher result of a design, without a build. Takes the options of :meth:`submit`."""
        body, content_type = self._design(file, contents, options)
        found: Json = self._http.request(
            "POST", "/scan", body=body, content_type=content_type, wait=60.0, repeatable=True
        ).json
        return found

    def events(self) -> Iterator[Json]:
        """Every change, live and without end. The first event, and the first after a lost connection, is a
        ``snapshot`` of the whole state; docs/api.md lists the others.
        """
        while True:
            connection, response = self._http.open("GET", "/events", wait=_LONG_POLL)
            try:
                if response.status != 200:
                    raise _refusal(response.status, {}, response.read())
                data: List[str] = []
                for raw in response:
                    line = raw.decode("utf-8", "replace").rstrip("\r\n")
                    if line.startswith("data:"):
                        data.append(line[5:].lstrip(" "))
                    elif line == "" and data:
                        event: Json = json.loads("\n".join(data))
                        data = []
                        yield event
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, WishbenchError):
                    raise
            finally:
                connection.close()
            time.sleep(_PAUSE)

    # Courses

    def _course(self, method: str, course: str, path: str = "", body: Optional[Json] = None, **query: Any) -> _Answer:
        where = f"/courses/{urllib.parse.quote(course, safe='')}{path}"
        sent = {} if body is None else {"body": _json(body), "content_type": _JSON}
        return self._http.request(method, where, query=query, **sent)

    def _assignments(self, method: str, course: str, path: str = "", body: Optional[Json] = None) -> _Answer:
        return self._course(method, course, f"/assignments{path}", body)

    def courses(self) -> List[Json]:
        """Your courses; all of them for an operator."""
        listed: List[Json] = self._http.request("GET", "/courses").json
        return listed

    def course(self, course: str) -> Json:
        """A course with its members, as far as you may see it."""
        found: Json = self._course("GET", course).json
        return found

    def create_course(self, name: str, **fields: Any) -> Json:
        """Creates a course; for operators.

        :param fields: ``time_zone``, ``ends_on``, ``group``, ``shares``, ``priority`` and ``bookings``: docs/courses.md.
        """
        body = _json({"name": name, **fields})
        made: Json = self._http.request("POST", "/courses", body=body, content_type=_JSON).json
        return made

    def change_course(self, course: str, **fields: Any) -> Json:
        """Changes fields of a course; for teachers."""
        changed: Json = self._course("PUT", course, body=fields).json
        return changed

    def add_members(self, course: str, members: List[Json]) -> Json:
        """Adds members with ``name``, and ``email`` and ``role`` where wanted; all or none. For teachers."""
        added: Json = self._course("POST", course, "/members", {"members": members}).json
        return added

    def invite_members(self, course: str, usernames: Optional[List[str]] = None) -> List[Json]:
        """Sign-in links for members, by default for those who have never signed in; for teachers."""
        body: Json = {} if usernames is None else {"usernames": usernames}
        sheet: List[Json] = self._course("POST", course, "/invitations", body).json
        return sheet

    # Assignments of courses

    def assignments(self, course: str) -> List[Json]:
        """The assignments of a course, by deadline."""
        listed: List[Json] = self._assignments("GET", course).json
        return listed

    def assign(self, course: str, title: str, **fields: Any) -> Json:
        """Creates an assignment; for teachers.

        :param fields: ``text``, ``deadline``, ``attempts``, ``published``, ``template`` and ``check``: docs/courses.md.
        """
        made: Json = self._assignments("POST", course, body={"title": title, **fields}).json
        return made

    def change_assignment(self, course: str, assignment_id: str, **fields: Any) -> Json:
        """Changes fields of an assignment; for teachers."""
        changed: Json = self._assignments("PUT", course, f"/{assignment_id}", fields).json
        return changed

    def delete_assignment(self, course: str, assignment_id: str) -> None:
        """Deletes an assignment with its hand-ins; for teachers."""
        self._assignments("DELETE", course, f"/{assignment_id}")

    def start_assignment(self, course: str, assignment_id: str) -> Tuple[str, bytes]:
        """Name and contents of the file to start from; its register map and panel become those of the caller's design."""
        started = self._assignments("POST", course, f"/{assignment_id}/start").json
        return str(started["filename"]), self._assignments("GET", course, f"/{assignment_id}/template").content

    def hand_in(self, course: str, assignment_id: str, job: Union[Job, str]) -> Json:
        """Hands a build in, ended or not. The same build twice is one hand-in."""
        job_id = job.id if isinstance(job, Job) else job
        handed: Json = self._assignments("POST", course, f"/{assignment_id}/hand-ins", {"job_id": job_id}).json
        return handed

    def hand_ins(self, course: str, assignment_id: str) -> List[Json]:
        """Hand-ins with their grades, newest first: all for a teacher, else the caller's."""
        listed: List[Json] = self._assignments("GET", course, f"/{assignment_id}/hand-ins").json
        return listed

    def hand_in_source(self, course: str, assignment_id: str, hand_in_id: str) -> bytes:
        """A source as it was handed in."""
        return self._assignments("GET", course, f"/{assignment_id}/hand-ins/{hand_in_id}/source").content

    def graded(self, course: str, assignment_id: str, hand_in_id: str, timeout: float = 600.0) -> Json:
        """Waits for the grade of a hand-in.

        :raises TimedOut: if it is not graded in time.
        """
        deadline = time.monotonic() + timeout
        while True:
            found = [one for one in self.hand_ins(course, assignment_id) if one["hand_in_id"] == hand_in_id]
            if found and found[0]["grade"]["state"] not in ("queued", "running"):
                return found[0]
            if time.monotonic() > deadline:
                raise TimedOut("timed_out", f"The hand-in was not graded within {timeout:g} s.", "Wait longer.")
            time.sleep(_PAUSE)

    def grade(self, course: str, assignment_id: str, hand_in_ids: Optional[List[str]] = None) -> int:
        """Grades these hand-ins again, by default what counts of each member; for teachers. Returns how many wait."""
        body = {} if hand_in_ids is None else {"hand_in_ids": hand_in_ids}
        return int(self._assignments("POST", course, f"/{assignment_id}/grade", body).json["queued"])

    def results(self, course: str, assignment_id: str, format: str = "csv") -> str:
        """The results as a table (``csv``) or as JUnit (``xml``): all for a teacher, else the caller's."""
        return self._assignments("GET", course, f"/{assignment_id}/results.{format}").text.lstrip("\ufeff")

    # Designs

    def watch(self, fpga_id: int) -> Iterator[Json]:
        """The transactions of all callers on a node, live and without end. It never accesses the board.

        The first message is a ``session``: the holder of the node. Messages with ``transactions``, oldest first, follow;
        they begin with the newest existing ones. After a lost connection it continues at the same place.
        """
        record: Optional[str] = None
        seq = 0
        deadline: Optional[float] = None
        while True:
            stream: Optional[_WebSocket] = None
            try:
                stream = _WebSocket(self._http, f"/fpga/{fpga_id}/stream", {}, _VIEWER)
                self._http.answered = True
                if record is not None:
                    stream.send(_json({"after": seq, "record": record}), _WebSocket._TEXT)
                # It may be idle for hours.
                stream._socket.settimeout(None)
                while True:
                    message: Json = json.loads(stream.receive())
                    deadline = None
                    if message["type"] == "session":
                        seq = seq if message["record"] == record else 0
                        record = message["record"]
                    elif message["type"] == "transactions" and message["transactions"]:
                        seq = message["transactions"][-1]["seq"]
                    if message["type"] != "end":
                        yield message
            except (OSError, _StreamClosed) as error:
                if deadline is None:
                    deadline = time.monotonic() + self._http.reconnect
                if time.monotonic() > deadline or not self._http.answered:
                    raise self._http.unreachable(error) from error
                time.sleep(_PAUSE)
            finally:
                if stream is not None:
                    stream.close()

    def submit(
        self,
        file: Design,
        *,
        node: Optional[int] = None,
        replace: bool = False,
        contents: Union[str, bytes, None] = None,
        timeout: float = 600.0,
        **options: Any,
    ) -> Job:
        """Submits a design; returns at once the job that builds it and programs a node.

        :param file: the source: Verilog (.v), SystemVerilog (.sv), VHDL (.vhd, .vhdl) or Amaranth (.py); or a project:
            a ``.zip``, or a list of files, named by their paths below the common folder.
        :param node: an idle node; by default the first idle one.
        :param replace: on a node of the caller: its design runs until the new one is built.
        :param contents: the source itself; ``file`` is then only its name.
        :param timeout: seconds to wait for an idle node, if the service cannot wait by itself.
        :param options: ``top``, ``timing_target_mhz``, ``allow_timing_failure``, ``addressing``, ``ties`` and
            the others of docs/api.md, section Submit.
        :raises Refused: ``fpga_not_idle``, ``queue_full`` and so on.
        """
        body, content_type = self._design(file, contents, options)

        def send(path: str) -> Job:
            return Job(self, self._http.request("POST", path, body=body, content_type=content_type, wait=20.0).json)

        if node is not None:
            return send(f"/fpga/{node}/submit" + ("?replace=1" if replace else ""))
        if replace:
            raise ValueError("replace needs node: only its holder can replace a design")
        if not self._no_pool:
            try:
                return send("/submit")
            except Refused as error:
                if error.status not in (404, 405):
                    raise
                self._no_pool = True
        deadline = time.monotonic() + timeout
        while True:
            for one in self.nodes():
                if one.state != "idle":
                    continue
                try:
                    return send(f"/fpga/{one.fpga_id}/submit")
                except Refused as error:
                    # Another caller was faster.
                    if error.code != "fpga_not_idle":
                        raise
            if time.monotonic() > deadline:
                raise TimedOut(
                    "timed_out", f"No node was idle for {timeout:g} s.", "Wait longer, or release one of your own."
                )
            time.sleep(1.0)

    def program(
        self,
        file: Design,
        *,
        node: Optional[int] = None,
        replace: bool = False,
        contents: Union[str, bytes, None] = None,
        timeout: float = 600.0,
        on_change: Optional[Callable[[Job], object]] = None,
        **options: Any,
    ) -> Node:
        """Builds a design, programs a node with it, and returns the node for a ``with`` block.

        After an interrupt or a timeout it cancels the job, or releases its node: no node stays reserved unused. It does
        not cancel a replacement, whose node the caller holds anyway. Takes the parameters of :meth:`submit`.

        :param timeout: seconds from the submit to the reserved node.
        :param on_change: called with the job at each change of status.
        :raises JobFailed: with code, remedy, diagnostics and the end of the log.
        """
        deadline = time.monotonic() + timeout
        job = self.submit(file, node=node, replace=replace, contents=contents, timeout=timeout, **options)
        try:
            job.wait(max(0.0, deadline - time.monotonic()), on_change)
            if job.fpga_id is None:
                raise WishbenchError("job_not_found", "The service did not report the programmed node.")
            programmed = self.node(job.fpga_id)
        except (JobFailed, JobCancelled, SessionLost):
            raise
        except BaseException:
            if not replace:
                self._take_back(job)
            raise
        programmed.job = job
        return programmed

    def _take_back(self, job: Job) -> None:
        """Cancels a job without a waiting caller, or releases its node."""
        try:
            try:
                job.cancel()
                return
            except Refused:
                pass
            if not job.refresh().ended:
                _log.warning("Waiting for job %s to end, to release its node; interrupt again to leave it.", job.id)
            job.wait()
            if job.fpga_id is not None:
                self.node(job.fpga_id).release()
        except WishbenchError:
            # It failed or cannot be cancelled: the caller's exception matters more.
            pass

    @staticmethod
    def _design(file: Design, contents: Union[str, bytes, None], options: Mapping[str, Any]) -> Tuple[bytes, str]:
        paths = [os.fspath(file)] if isinstance(file, (str, os.PathLike)) else [os.fspath(one) for one in file]
        names = [os.path.basename(path) for path in paths]
        if len(paths) > 1:
            whole = [os.path.abspath(path) for path in paths]
            folder = os.path.commonpath([os.path.dirname(path) for path in whole])
            names = [os.path.relpath(path, folder).replace(os.sep, "/") for path in whole]
        if contents is None:
            sources = []
            for path in paths:
                with open(path, "rb") as source:
                    sources.append(source.read())
        else:
            sources = [contents.encode() if isinstance(contents, str) else contents]
        fields = {
            name: json.dumps(value) if isinstance(value, (bool, dict)) else str(value)
            for name, value in options.items()
            if value is not None
        }
        return _form(_as_sent(list(zip(names, sources))), fields)


def _is_behind(url: str) -> bool:
    """Whether an address names a bench behind another one, which forwards the requests."""
    return re.search("/benches/[^/]+/*$", url) is not None


def _who_calls(url: str, key: str, bench_key: Optional[str]) -> Dict[str, str]:
    """The caller's headers for the bench at the address, and for the one behind it if there is one.

    :raises ValueError: for a bench_key without a bench behind.
    """
    headers = {"X-API-Key": _header(key)} if key else {}
    if not _is_behind(url):
        if bench_key is not None:
            raise ValueError(f"bench_key needs an address such as {DEFAULT_URL}/benches/NAME.")
        return headers
    # A key goes only to its own bench; a name may go to all.
    name = _user() if re.search("wb[ki]_", key) else key
    there = bench_key or os.environ.get("WISHBENCH_BENCH_KEY") or name
    if there:
        headers["X-Bench-Key"] = _header(there)
    return headers


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""


# ---------------------------------------------------------------------------------------------------------- pytest

#: pytest shows a failure at the line of the test, not inside this file.
__tracebackhide__ = True


def pytest_addoption(parser: Any) -> None:
    """Adds the plugin's options to pytest."""
    group = parser.getgroup("wishbench")
    group.addoption("--wishbench-url", default=None, help="address of the bench (WISHBENCH_URL)")
    group.addoption(
        "--wishbench-required",
        action="store_true",
        default=False,
        help="fail if no bench answers, instead of skipping (WISHBENCH_REQUIRED=1)",
    )


def pytest_configure(config: Any) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers", 'wishbench(file, **options): the design of the node of wishbench_node, such as "echo.v"'
    )


if "pytest" in sys.modules:
    import pytest

    @pytest.fixture(scope="session")
    def wishbench_bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
        """The bench. Without one, tests that need it are skipped, or fail if it is required."""
        option = request.config.getoption
        with Bench(option("--wishbench-url", default=None)) as bench:
            try:
                bench.health()
            except Unreachable as error:
                if option("--wishbench-required", default=False) or os.environ.get("WISHBENCH_REQUIRED", "0") != "0":
                    pytest.fail(str(error), pytrace=False)
                pytest.skip(str(error))
            yield bench

    @pytest.fixture
    def wishbench_program(
        request: pytest.FixtureRequest,
        wishbench_bench: Bench,
        record_property: Callable[[str, object], None],
    ) -> Iterator[Callable[..., Node]]:
        """Programs nodes, as :meth:`Bench.program` does, and releases them after the test.

        It looks for files next to the test, then in the current folder.
        """
        nodes: List[Node] = []

        def program(file: Path, **options: Any) -> Node:
            local = os.path.join(os.path.dirname(str(request.node.fspath)), os.fspath(file))
            found = local if options.get("contents") is None and os.path.exists(local) else file
            node = wishbench_bench.program(found, **options)
            nodes.append(node)
            record_property("wishbench_node", node.fpga_id)
            if node.job is not None:
                record_property("wishbench_job", node.job.id)
            return node

        yield program
        for node in reversed(nodes):
            node.release()

    @pytest.fixture
    def wishbench_node(request: pytest.FixtureRequest, wishbench_program: Callable[..., Node]) -> Node:
        """A node with the design of the marker: ``@pytest.mark.wishbench("echo.v")``."""
        marker = request.node.get_closest_marker("wishbench")
        if marker is None:
            pytest.fail('wishbench_node needs to know its design: @pytest.mark.wishbench("echo.v")', pytrace=False)
        return wishbench_program(*marker.args, **marker.kwargs)
