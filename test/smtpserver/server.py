"""An SMTP server for tests: aiosmtpd, as good and as bad as it is told to be.

Arguments: the address to listen on, a certificate and its key (PEM files); without the
latter two it knows no TLS. It writes its two ports as a line of JSON, then one line for
each message that it takes, before it says so to the client. Each line of its input is a
behaviour, which holds for what comes next, and is answered by the line {"set": n}, its
number. It ends with its input.
"""

import asyncio
import json
import socket
import ssl
import sys

from base64 import b64decode

from aiosmtpd.smtp import MISSING, SMTP, AuthResult


def tell(what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Handler:
    def __init__(self):
        self.now = {}

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        session.host_name = hostname
        ways = self.now.get("ways")
        if ways is None:
            return responses
        offer = ["250-AUTH " + " ".join(ways)] if ways else []
        return [r for r in responses[:-1] if not r.startswith("250-AUTH")] + offer + responses[-1:]

    async def handle_AUTH(self, server, session, envelope, args):
        return self.now.get("auth") or MISSING

    async def auth_XOAUTH2(self, server, args):
        right = f"user={self.now.get('user')}\x01auth=Bearer {self.now.get('password')}\x01\x01"
        if b64decode(args[1]).decode() == right:
            return AuthResult(success=True)
        await server.challenge_auth('{"status":"400"}')  # the client answers with an empty line
        return AuthResult(success=False, handled=False)

    async def handle_RSET(self, server, session, envelope):
        if 0 < self.now.get("per_connection", 0) <= getattr(session, "begun", 0):
            return "421 4.7.0 Enough over this connection"
        return "250 2.0.0 Ok"

    async def handle_MAIL(self, server, session, envelope, address, options):
        session.begun = getattr(session, "begun", 0) + 1
        if self.now.get("mail"):
            return self.now["mail"]
        envelope.mail_from = address
        return "250 2.1.0 Sender ok"

    async def handle_RCPT(self, server, session, envelope, address, options):
        reply = (self.now.get("rcpt_of") or {}).get(address) or self.now.get("rcpt")
        if reply:
            return reply
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 Recipient ok"

    async def handle_DATA(self, server, session, envelope):
        if self.now.get("data"):
            return self.now["data"]
        content = envelope.content
        if self.now.get("heads"):
            content = content[: content.index(b"\r\n\r\n") + 4]
        tell({"helo": session.host_name, "from": envelope.mail_from, "to": envelope.rcpt_tos, "raw": content.decode("utf-8", "replace")})
        while self.now.get("hold"):
            await asyncio.sleep(0.01)
        if self.now.get("die_after_data"):
            server.transport.abort()
            await asyncio.sleep(3600)  # until this connection's task is cancelled
        return "250 2.0.0 Taken"


class Server(SMTP):
    """One that can refuse what it offers: a name, STARTTLS, DATA."""

    async def smtp_EHLO(self, arg):
        await self.unless("hello", super().smtp_EHLO, arg)

    async def smtp_HELO(self, arg):
        await self.unless("hello", super().smtp_HELO, arg)

    async def smtp_DATA(self, arg):
        await self.unless("begin_data", super().smtp_DATA, arg)

    async def smtp_STARTTLS(self, arg):
        await self.unless("starttls", super().smtp_STARTTLS, arg)

    async def unless(self, what, does, arg):
        reply = self.event_handler.now.get(what)
        if reply:
            await self.push(reply)
        else:
            await does(arg)


def held(address):
    """A port that stays this process's while nobody listens at it, so that it can come back."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    s.bind((address, 0))
    return s


def main():
    address, *files = sys.argv[1:]
    handler = Handler()
    tls = None
    if files:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*files)

    def connection(offers):
        def make():
            now = handler.now
            return Server(
                handler,
                hostname="smtp.test",
                tls_context=tls if offers and not now.get("no_starttls") else None,
                require_starttls=bool(offers and now.get("require_tls")),
                auth_required=bool(now.get("user")),
                auth_require_tls=bool(offers and not now.get("auth_in_the_clear")),
                authenticator=lambda _s, _session, _envelope, _mechanism, data: AuthResult(
                    success=(data.login, data.password) == (now["user"].encode(), now["password"].encode()), handled=False
                ) if now.get("user") else AuthResult(success=False, handled=False),
            )

        return make

    async def serve():
        loop = asyncio.get_running_loop()
        plain, secure = held(address), held(address)

        async def listen():
            port, tls_port = plain.getsockname()[1], secure.getsockname()[1]
            return (
                await loop.create_server(connection(True), address, port, reuse_port=True),
                await loop.create_server(connection(False), address, tls_port, reuse_port=True, ssl=tls),
            )

        servers = await listen()
        tell({"port": plain.getsockname()[1], "tls_port": secure.getsockname()[1]})
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            handler.now = json.loads(line)
            if handler.now.get("away"):
                for server in servers:
                    server.close()
                servers = ()
            elif not servers:
                servers = await listen()
            tell({"set": handler.now["n"]})

    asyncio.run(serve())


main()
