"""`mkdocs-recall fetch` writes the requested copies whole, and nothing else."""

from __future__ import annotations

import gzip
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from time import monotonic
from typing import Any

import pytest
import trustme
import yaml
from other_site import FLUX, flux
from tables import tabled
from terminal import Terminal

from mkdocs_recall.errors import SiteError
from mkdocs_recall.pages import fetch as fetch_module
from mkdocs_recall.pages.fetch import fetch
from mkdocs_recall.pages.published import OtherSite, file_digest, read_site_lock

OTHER = flux({**FLUX, "index.md": "# Flux\n\nA flux token expires at once.\n"})
PAGE = '# Larch\n\n```recall\nquery: when does a flux token expire\nsource: "flux:**"\n```\n'


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A site that quotes another one, whose file is on this machine."""
    new_terminal = Terminal(tmp_path / "site")
    (new_terminal.folder / "docs").mkdir(parents=True)
    (new_terminal.folder / "docs" / "index.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "flux").mkdir()
    (tmp_path / "flux" / "recall.jsonl.gz").write_bytes(flux())
    configure(new_terminal, flux=(tmp_path / "flux").as_uri())
    return new_terminal


def configure(terminal: Terminal, **urls: str) -> None:
    sites = {name: {"url": url} for name, url in urls.items()}
    config = {"site_name": "Larch", "plugins": [{"recall": {"sites": sites}}]}
    (terminal.folder / "mkdocs.yml").write_text(yaml.safe_dump(config), encoding="utf-8")


def copy(terminal: Terminal, name: str = "flux") -> bytes:
    return (terminal.folder / "recall-sites" / f"{name}.jsonl.gz").read_bytes()


def tree(terminal: Terminal) -> dict[str, bytes]:
    paths = sorted(path for path in terminal.folder.rglob("recall-sites*/**/*") if path.is_file())
    lock = terminal.folder / "recall-sites.lock"
    return {str(path): path.read_bytes() for path in (*paths, *([lock] * lock.exists()))}


def publish(terminal: Terminal, data: bytes) -> None:
    (terminal.folder.parent / "flux" / "recall.jsonl.gz").write_bytes(data)


def test_a_fetched_site_can_be_quoted_by_builds_and_commands(terminal: Terminal) -> None:
    before = terminal.run("recall", "when does a flux token expire", "--source", "flux:**")
    assert before.status == 2
    assert "run 'mkdocs-recall fetch flux'" in before.err
    process = terminal.run("fetch", "--allow-file")
    assert (process.status, process.out) == (0, "")
    assert "'recall-sites/flux.jsonl.gz' holds the site 'flux'" in process.err
    assert copy(terminal) == flux()
    assert read_site_lock(terminal.folder)["flux"].digest == file_digest(flux())
    quote = terminal.run("recall", "when does a flux token expire", "--source", "flux:**")
    assert "expires after 12 hours" in quote.out
    assert "Source: flux:guides/tokens.md#expiry (Flux, https://flux.example/docs/" in quote.out
    assert terminal.run("lock").status == 0
    assert terminal.run("check").status == 0
    again = terminal.run("fetch", "--allow-file")
    assert (again.status, "is up to date" in again.err) == (0, True)


def test_a_passage_of_another_site_names_its_publisher_in_json(terminal: Terminal) -> None:
    import json

    publish(terminal, flux(licence="CC-BY-4.0"))
    terminal.run("fetch", "--allow-file")
    said = terminal.run("recall", "flux token expires", "--source", "flux:**", "--json")
    passage = json.loads(said.out)["passages"][0]
    assert passage["url"] == "https://flux.example/docs/guides/tokens/#expiry"
    assert passage["publisher"] == {
        "name": "flux",
        "title": "Flux",
        "url": "https://flux.example/docs/",
        "licence": "CC-BY-4.0",
        "copyright": "",
        "private": False,
    }
    outcome = terminal.run("synopsis", "index.md", "--json")
    assert "publisher" not in outcome.out


def test_a_folder_name_may_contain_a_percent_sign(terminal: Terminal) -> None:
    folder = terminal.folder.parent / "a%41"
    (terminal.folder.parent / "flux").rename(folder)
    configure(terminal, flux=folder.as_uri())
    assert terminal.run("fetch", "--allow-file").status == 0


def test_a_changed_site_keeps_its_copy_until_update(terminal: Terminal) -> None:
    terminal.run("fetch", "--allow-file")
    before = tree(terminal)
    publish(terminal, OTHER)
    outcome = terminal.run("fetch", "--allow-file")
    assert outcome.status == 0
    assert "has changed; its copy stays as it is" in outcome.err
    assert tree(terminal) == before
    checked = terminal.run("fetch", "--check", "--allow-file")
    assert checked.status == 3
    assert "The site 'flux' has changed since it was fetched." in checked.err
    assert tree(terminal) == before
    assert terminal.run("check", "--help").status == 0
    updated = terminal.run("fetch", "flux", "--update", "--allow-file")
    assert updated.status == 0
    assert copy(terminal) == OTHER
    assert terminal.run("fetch", "--check", "--allow-file").status == 0


def test_a_check_finds_that_a_site_has_another_address(terminal: Terminal) -> None:
    terminal.run("fetch", "--allow-file")
    moved = terminal.folder.parent / "moved"
    moved.mkdir()
    (moved / "recall.jsonl.gz").write_bytes(flux())
    configure(terminal, flux=moved.as_uri())
    said = terminal.run("fetch", "--check", "--allow-file")
    assert said.status == 3
    assert f"is '{moved.as_uri()}/recall.jsonl.gz' in mkdocs.yml, and was fetched from" in said.err
    assert terminal.run("fetch", "--allow-file").status == 0
    assert terminal.run("fetch", "--check", "--allow-file").status == 0


@pytest.mark.parametrize(
    ("damaged", "fault"),
    [(b"x", "does not have the digest that 'recall-sites.lock' states"), (None, "is not in")],
)
def test_a_check_finds_a_damaged_copy_of_an_unchanged_site(
    terminal: Terminal, damaged: bytes | None, fault: str
) -> None:
    terminal.run("fetch", "--allow-file")
    path = terminal.folder / "recall-sites" / "flux.jsonl.gz"
    path.unlink() if damaged is None else path.write_bytes(damaged)
    outcome = terminal.run("fetch", "--check", "--allow-file")
    assert outcome.status == 2
    assert f"the copy of the site 'flux' {fault}" in outcome.err
    assert "'mkdocs-recall fetch flux'" in outcome.err
    assert terminal.run("fetch", "--allow-file").status == 0
    assert terminal.run("fetch", "--check", "--allow-file").status == 0
    path.unlink()
    publish(terminal, OTHER)
    outcome = terminal.run("fetch", "--check", "--allow-file")
    assert "'mkdocs-recall fetch flux --update'" in outcome.err


def test_a_lost_copy_comes_back_if_the_site_still_has_it(terminal: Terminal) -> None:
    terminal.run("fetch", "--allow-file")
    path = terminal.folder / "recall-sites" / "flux.jsonl.gz"
    path.write_bytes(b"something else")
    assert terminal.run("fetch", "--allow-file").status == 0
    assert copy(terminal) == flux()
    path.unlink()
    publish(terminal, OTHER)
    outcome = terminal.run("fetch", "--allow-file")
    assert outcome.status == 2
    assert "has changed since it was fetched, and its copy is not in 'recall-sites'" in outcome.err
    assert not path.exists()


@pytest.mark.parametrize("copied", [OTHER, b"something else"])
def test_an_unlocked_copy_of_a_changed_site_is_reported(terminal: Terminal, copied: bytes) -> None:
    """An update that is killed between the copy and the lock file leaves the new copy."""
    terminal.run("fetch", "--allow-file")
    publish(terminal, OTHER)
    (terminal.folder / "recall-sites" / "flux.jsonl.gz").write_bytes(copied)
    assert terminal.run("recall", "flux token expires", "--source", "flux:**").status == 2
    outcome = terminal.run("fetch", "--allow-file")
    assert (outcome.status, copy(terminal)) == (2, copied)
    assert "its copy does not have the digest that 'recall-sites.lock' states" in outcome.err
    assert terminal.run("fetch", "--allow-file", "--update").status == 0
    assert terminal.run("recall", "flux token expires", "--source", "flux:**").status == 0


def test_one_failing_site_keeps_no_other_from_being_fetched(terminal: Terminal) -> None:
    folder = terminal.folder.parent
    configure(terminal, beech=(folder / "beech").as_uri(), flux=(folder / "flux").as_uri())
    outcome = terminal.run("fetch", "--allow-file")
    assert outcome.status == 2
    assert "the site 'beech' cannot be fetched from file:///" in outcome.err
    assert "there is no such file" in outcome.err
    assert copy(terminal) == flux()
    lock = (terminal.folder / "recall-sites.lock").read_text("utf-8")
    assert "\n\n[flux]\nurl = file:" in lock


@tabled
def test_a_failure_says_why(terminal: Terminal, arguments: tuple[str, ...], message: str) -> None:
    outcome = terminal.run("fetch", *arguments)
    assert outcome.status == 2
    assert message in outcome.err
    assert tree(terminal) == {}


def test_a_site_without_other_sites_says_where_they_are_named(terminal: Terminal) -> None:
    (terminal.folder / "mkdocs.yml").write_text("site_name: Larch\nplugins: [recall]\n")
    outcome = terminal.run("fetch")
    assert outcome.status == 2
    assert "names no other site; list them under 'sites'" in outcome.err


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize(
    "name", ["recall-sites", "recall-sites/flux.jsonl.gz", "recall-sites.lock"]
)
def test_a_copy_goes_through_no_link_out_of_the_site(terminal: Terminal, name: str) -> None:
    outside = terminal.folder.parent / "outside"
    outside.mkdir()
    link = terminal.folder / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside if name == "recall-sites" else outside / "secret")
    outcome = terminal.run("fetch", "--allow-file")
    assert outcome.status == 2
    assert f"'{link.name}' is a link that leads out of its folder; remove it" in outcome.err
    assert list(outside.iterdir()) == []


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, answer: Callable[[_Handler], None], *args: object) -> None:
        self.answer = answer
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.answer(self)

    def log_message(self, *_: object) -> None:
        pass

    def send(
        self, data: bytes, *, status: int = 200, length: int | None = None, **headers: str
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Who signs the certificates of servers here."""
    return trustme.CA()


@pytest.fixture
def serve(
    authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[_Handler], None]], object]:
    """Start a server with a certificate that this process trusts."""
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    @contextmanager
    def serving(answer: Callable[[_Handler], None], name: str = "localhost") -> Iterator[OtherSite]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(name).configure_cert(context)
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, answer))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield OtherSite("flux", f"https://localhost:{server.server_port}/docs/")
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    return serving


def refusal(site: OtherSite, **options: float) -> str:
    with pytest.raises(SiteError) as caught:
        fetch(site, **options)  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"the site 'flux' cannot be fetched from {site.file_url}: ")
    return str(caught.value)


def test_a_file_comes_by_https_from_the_root_of_a_site(serve: Callable[..., object]) -> None:
    paths = []

    def answer(handler: _Handler) -> None:
        paths.append(handler.path)
        handler.send(flux())

    with serve(answer) as site:  # type: ignore[attr-defined]
        assert fetch(site) == flux()
        assert fetch(OtherSite("flux", f"{site.url}files/other.jsonl.gz")) == flux()
    assert paths == ["/docs/recall.jsonl.gz", "/docs/files/other.jsonl.gz"]


class _Proxy(BaseRequestHandler):
    """Connects to a server here, as an HTTP proxy does."""

    def __init__(self, asked: list[str], *args: Any) -> None:
        self.asked = asked
        super().__init__(*args)

    def handle(self) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.request.recv(1)
        method, target, _ = head.split(b" ", 2)
        self.asked.append(f"{method.decode()} {target.decode()}")
        with socket.create_connection(("127.0.0.1", int(target.rpartition(b":")[2]))) as server:
            self.request.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            back = threading.Thread(target=_pass_on, args=(server, self.request))
            back.start()
            _pass_on(self.request, server)
            back.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):  # the other side has gone
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def test_a_proxy_of_the_environment_is_used_unless_the_host_is_exempt(
    serve: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    with ThreadingTCPServer(("127.0.0.1", 0), partial(_Proxy, asked)) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.server_address[1]}")
        monkeypatch.setenv("no_proxy", "")
        try:
            with serve(lambda handler: handler.send(flux())) as site:  # type: ignore[attr-defined]
                assert fetch(site) == flux()
                assert asked == [f"CONNECT {site.url.split('/')[2]}"]
                monkeypatch.setenv("no_proxy", "localhost")
                assert fetch(site) == flux()
                assert len(asked) == 1
        finally:
            proxy.shutdown()
            thread.join()


def test_a_redirect_stays_on_its_host(serve: Callable[..., object]) -> None:
    def within(handler: _Handler) -> None:
        if handler.path == "/docs/recall.jsonl.gz":
            handler.send(b"", status=302, Location="/v2/recall.jsonl.gz")
        else:
            handler.send(flux())

    with serve(within) as site:  # type: ignore[attr-defined]
        assert fetch(site) == flux()


@tabled
def test_a_redirect_to_another_scheme_or_host_is_refused_and_named(
    serve: Callable[..., object], location: str, named: str
) -> None:
    with serve(lambda handler: handler.send(b"", status=301, Location=location)) as site:  # type: ignore[attr-defined]
        assert f"it redirects to '{named}'; if you trust that host, name it" in refusal(site)


def test_a_redirect_to_a_file_is_refused(serve: Callable[..., object]) -> None:
    with serve(lambda h: h.send(b"", status=302, Location="file:///etc/passwd")) as site:  # type: ignore[attr-defined]
        assert "the server answered 302" in refusal(site)


def test_a_circle_of_redirects_ends(serve: Callable[..., object]) -> None:
    with serve(lambda h: h.send(b"", status=302, Location=f"{h.path}x")) as site:  # type: ignore[attr-defined]
        assert "the server answered 302" in refusal(site)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda h: h.send(b"", status=404), "the server answered 404 Not Found"),
        (lambda h: h.send(flux()[:-40]), "'recall.jsonl.gz' cannot be used: it is truncated"),
        (lambda h: h.send(flux(), length=len(flux()) + 9), "the connection ended after"),
        (lambda h: h.send(b"", length=10**12), "it has 1,000,000,000,000 bytes, which is more"),
        (lambda h: h.send(gzip.compress(bytes(10**8))), "more than any documentation has"),
        (lambda h: h.send(b"<html>Not here</html>"), "it is not compressed by gzip"),
        (lambda h: h.send(gzip.compress(b'{"schema": 2}\n')), "newer than 1: upgrade"),
    ],
    ids=["missing", "truncated", "interrupted", "large", "bomb", "page", "newer"],
)
def test_what_is_not_a_published_file_is_refused(
    serve: Callable[..., object], answer: Callable[[_Handler], None], reason: str
) -> None:
    with serve(answer) as site:  # type: ignore[attr-defined]
        assert reason in refusal(site)


def test_more_bytes_than_the_limit_are_not_received(
    serve: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mkdocs_recall.pages.published.LARGEST", 100)

    def endless(handler: _Handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(flux() * 100)

    with serve(endless) as site:  # type: ignore[attr-defined]
        assert "it has more than 100 bytes" in refusal(site)


def test_a_silent_server_is_left(serve: Callable[..., object]) -> None:
    done = threading.Event()
    with serve(lambda _: done.wait(60)) as site:  # type: ignore[attr-defined]
        assert "timed out" in refusal(site, timeout=0.2)
        done.set()


@tabled
def test_a_server_that_sends_a_byte_now_and_then_is_left(
    serve: Callable[..., object], monkeypatch: pytest.MonkeyPatch, case: list[str]
) -> None:
    start, drip = (text.encode() for text in case)
    monkeypatch.setattr(fetch_module, "_PATIENCE", 0.5)
    left = threading.Event()

    def slowly(handler: _Handler) -> None:
        with suppress(OSError):
            handler.wfile.write(start)
            while not left.wait(0.02):
                handler.wfile.write(drip)

    with serve(slowly) as site:  # type: ignore[attr-defined]
        begun = monotonic()
        assert "it takes more than" in refusal(site)
        assert monotonic() - begun < 10
        left.set()


def test_a_certificate_of_another_host_or_of_nobody_is_refused(
    serve: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(lambda handler: handler.send(flux()), "other.example") as site:  # type: ignore[attr-defined]
        assert "certificate" in refusal(site)
    monkeypatch.delenv("SSL_CERT_FILE")
    with serve(lambda handler: handler.send(flux())) as site:  # type: ignore[attr-defined]
        assert "certificate" in refusal(site)


def test_a_host_that_is_not_there_is_reported() -> None:
    assert refusal(OtherSite("flux", "https://flux.invalid/"))
