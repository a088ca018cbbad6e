"""Names of hosts, looked up for the fetcher: no private address comes through."""

from __future__ import annotations

from collections import deque
from typing import Any

from linksight.crawl.addresses import is_public

#: Host names that led to private addresses only, the latest few: to tell that from a name that leads nowhere.
BLOCKED: deque[str] = deque(maxlen=1_000)


class GuardedResolver:
    """Resolves host names and lets no private address through, however the name is spelled.

    The check is made on the very addresses that are connected to, so a name that changes between
    two lookups gains nothing.
    """

    def __init__(self, reactor: Any, allow_private: bool) -> None:
        self.reactor = reactor
        self.inner = reactor.nameResolver
        self.allow_private = allow_private

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> GuardedResolver:
        return cls(reactor, crawler.settings.getbool("LINKSIGHT_ALLOW_PRIVATE"))

    def install_on_reactor(self) -> None:
        if not self.allow_private:
            _implements_resolver(type(self))
            self.reactor.installNameResolver(self)

    def resolveHostName(self, resolutionReceiver: Any, hostName: str, *args: Any, **kwargs: Any) -> Any:
        return self.inner.resolveHostName(
            _PublicOnly(resolutionReceiver, hostName), hostName, *args, **kwargs
        )


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


def _implements_resolver(kind: type) -> None:
    from twisted.internet.interfaces import IHostnameResolver
    from zope.interface import classImplements

    if not IHostnameResolver.implementedBy(kind):
        classImplements(kind, IHostnameResolver)
