"""Names of hosts, looked up for the fetcher: no private address comes through."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict, deque
from typing import Any

from linksight.crawl.urls.url_normalize import is_public

MAX_ANSWERED = 20  #: names of hosts that answered and are remembered
PROBES = 3  #: of them that are looked up where another name fails
MAX_AGE = 300.0  #: seconds until an address is looked up again for the pace of requests
#: Host names that led to private addresses only, the latest few: to tell that from a name that leads nowhere.
BLOCKED: deque[str] = deque(maxlen=1_000)


class GuardedResolver:
    """Resolves host names and lets no private address through, however the name is spelled.

    The check is made on the very addresses that are connected to, so a name that changes between
    two lookups gains nothing.
    """

    def __init__(self, reactor: Any, allow_private: bool, proxy_host: str | None = None) -> None:
        self.reactor = reactor
        self.proxy_host = proxy_host  #: the user's choice, so it may be private
        self.inner = reactor.nameResolver
        self.allow_private = allow_private

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> GuardedResolver:
        settings = crawler.settings
        return cls(reactor, settings.getbool("LINKSIGHT_ALLOW_PRIVATE"), settings.get("LINKSIGHT_PROXY_HOST"))

    def install_on_reactor(self) -> None:
        if not self.allow_private:
            _implements_resolver(type(self))
            self.reactor.installNameResolver(self)

    def resolveHostName(self, resolutionReceiver: Any, hostName: str, *args: Any, **kwargs: Any) -> Any:
        receiver = resolutionReceiver
        if hostName != self.proxy_host:
            receiver = _PublicOnly(resolutionReceiver, hostName)
        return self.inner.resolveHostName(receiver, hostName, *args, **kwargs)


class _PublicOnly:
    """Hands only public addresses on."""

    def __init__(self, receiver: Any, name: str) -> None:
        self._receiver = receiver
        self._name = name
        self.resolutionBegan = receiver.resolutionBegan
        self.resolutionComplete = receiver.resolutionComplete

    def addressResolved(self, address: Any) -> None:
        if is_public(address.host):
            self._receiver.addressResolved(address)
        else:
            BLOCKED.append(self._name)


class AddressBook:
    """The address that each host has, looked up once in a while: what the pace of requests counts by."""

    def __init__(self, reactor: Any, patience: float, most: int = 20_000) -> None:
        self._reactor = reactor
        self._patience = patience
        self._most = most
        self._known: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._check: asyncio.Task[bool] | None = None

    def note_answer(self, name: str) -> None:
        """Remember a name whose host has answered: it can be looked up where there is a name service."""
        if name and ":" not in name and not name.replace(".", "").isdecimal():
            self._answered[name] = None
            self._answered.move_to_end(name)
            while len(self._answered) > MAX_ANSWERED:
                self._answered.popitem(last=False)

    async def has_service(self) -> bool:
        """Whether any host that answered can still be looked up; failures at the same time share one check."""
        if self._check is None or self._check.done():
            self._check = asyncio.ensure_future(self._looks_up_any())
        return await asyncio.shield(self._check)

    async def _looks_up_any(self) -> bool:
        names = list(self._answered)[-PROBES:]
        for name in names:
            with contextlib.suppress(TimeoutError):
                if await self._looked_up(name):
                    return True
        return not names

    async def address_of(self, name: str) -> str:
        """The first address that a name leads to; empty where it leads to none, as its request will find out.

        Raises ``TimeoutError`` where nobody answers: a request would only ask once more.
        """
        now = asyncio.get_running_loop().time()
        at, address = self._known.get(name, (0.0, ""))
        if not address or at < now - MAX_AGE:
            address = await self._looked_up(name)
            self._known[name] = (now, address)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return address

    async def _looked_up(self, name: str) -> str:
        first = _FirstAddress()
        try:
            self._reactor.nameResolver.resolveHostName(first, name)
            return await asyncio.wait_for(first.told, self._patience)
        except TimeoutError:
            raise
        except (OSError, UnicodeError):
            return ""


class _FirstAddress:
    """Tells the first address of a name, once all are known."""

    def __init__(self) -> None:
        self.told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._found = ""

    def resolutionBegan(self, resolution: Any) -> None:
        """Nothing is known yet."""

    def addressResolved(self, address: Any) -> None:
        self._found = self._found or address.host

    def resolutionComplete(self) -> None:
        if not self.told.done():
            self.told.set_result(self._found)


def _implements_resolver(kind: type) -> None:
    from twisted.internet.interfaces import IHostnameResolver
    from zope.interface import classImplements

    if not IHostnameResolver.implementedBy(kind):
        classImplements(kind, IHostnameResolver)
