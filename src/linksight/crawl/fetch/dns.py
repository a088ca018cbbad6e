"""DNS for the fetcher: a resolver without private addresses, and a cache of host addresses."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict, deque
from typing import Any

from linksight.crawl.urls.url_normalize import is_public

MAX_ANSWERED = 20  #: names of responsive hosts
MAX_PROBES = 3  #: of them that are looked up when another name fails
MAX_AGE_SECONDS = 300.0  #: until the rate limiter looks an address up again
#: The latest host names with a private address: these failed for another reason than unknown names.
BLOCKED: deque[str] = deque(maxlen=1_000)


class GuardedResolver:
    """Resolves host names and filters out private addresses.

    The connection uses the checked addresses themselves, so DNS rebinding between two lookups has no effect.
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
    """Forwards only public addresses to a receiver."""

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
    """Cache of host addresses, for the rate limiter."""

    def __init__(self, reactor: Any, timeout: float, max_names: int = 20_000) -> None:
        self._reactor = reactor
        self._timeout = timeout
        self._max_names = max_names
        self._known: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._check: asyncio.Task[bool] | None = None

    def note_answer(self, name: str) -> None:
        """Remember the name of a responsive host: it resolves whenever a name service is reachable."""
        if name and ":" not in name and not name.replace(".", "").isdecimal():
            self._answered[name] = None
            self._answered.move_to_end(name)
            while len(self._answered) > MAX_ANSWERED:
                self._answered.popitem(last=False)

    async def has_service(self) -> bool:
        """Whether the name of any responsive host still resolves; concurrent failures share one check."""
        if self._check is None or self._check.done():
            self._check = asyncio.ensure_future(self._resolves_any())
        return await asyncio.shield(self._check)

    async def _resolves_any(self) -> bool:
        names = list(self._answered)[-MAX_PROBES:]
        for name in names:
            with contextlib.suppress(TimeoutError):
                if await self._resolve(name):
                    return True
        return not names

    async def address_of(self, name: str) -> str:
        """The first address of a name; empty if it does not resolve, and the request will fail.

        Raises ``TimeoutError`` if no name server answers: the request would only repeat the lookup.
        """
        now = asyncio.get_running_loop().time()
        at, address = self._known.get(name, (0.0, ""))
        if not address or at < now - MAX_AGE_SECONDS:
            address = await self._resolve(name)
            self._known[name] = (now, address)
            while len(self._known) > self._max_names:
                self._known.popitem(last=False)
        return address

    async def _resolve(self, name: str) -> str:
        receiver = _FirstAddress()
        try:
            self._reactor.nameResolver.resolveHostName(receiver, name)
            return await asyncio.wait_for(receiver.address, self._timeout)
        except TimeoutError:
            raise
        except (OSError, UnicodeError):
            return ""


class _FirstAddress:
    """Future of the first address of a name, set when the resolution ends."""

    def __init__(self) -> None:
        self.address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._found = ""

    def resolutionBegan(self, resolution: Any) -> None:
        """Required by the interface."""

    def addressResolved(self, address: Any) -> None:
        self._found = self._found or address.host

    def resolutionComplete(self) -> None:
        if not self.address.done():
            self.address.set_result(self._found)


def _implements_resolver(kind: type) -> None:
    from twisted.internet.interfaces import IHostnameResolver
    from zope.interface import classImplements

    if not IHostnameResolver.implementedBy(kind):
        classImplements(kind, IHostnameResolver)
