"""A small labelled set of URLs, made up for the tests."""

import ipaddress
import socket
import threading

import pytest

WORDS = {
    "de": "nachrichten wirtschaft gesundheit zeitung schule wetter versicherung kirche verein handwerk".split(),
    "en": "news business health newspaper school weather insurance church society workshop".split(),
    "es": "noticias economia salud periodico escuela tiempo seguros iglesia asociacion taller".split(),
    "fr": "nouvelles economie sante journal ecole meteo assurances eglise association atelier".split(),
    "it": "notizie economia salute giornale scuola meteo assicurazioni chiesa associazione officina".split(),
}
TLDS = {"de": ("de", "at", "com"), "en": ("co.uk", "us", "com"), "es": ("es", "mx", "com"),
        "fr": ("fr", "tn", "com"), "it": ("it", "it", "com")}  # fmt: skip


@pytest.fixture(scope="session")
def corpus():
    """(urls, languages): 5 languages, 60 URLs each, in mixed order."""
    rows = []
    for i in range(60):
        for language, words in WORDS.items():
            first, second = words[i % 10], words[(i * 7 + i // 10 + 3) % 10]
            rows.append(
                (
                    f"http://www.{first}{i % 3}.{TLDS[language][i % 3]}/{second}/{first}-{second}.html",
                    language,
                )
            )
    return [url for url, _ in rows], [language for _, language in rows]


COUNTRIES = {
    "10.1.0.0/16": "DE",
    "10.2.0.0/16": "GB",
    "10.3.0.0/16": "ES",
    "10.4.0.0/16": "FR",
    "10.5.0.0/16": "IT",
}


def _mmdb_value(value):
    """A value as the MaxMind DB format 2.0 writes it."""
    if isinstance(value, dict):
        return bytes([0b111_00000 | len(value)]) + b"".join(
            _mmdb_value(x) for pair in value.items() for x in pair
        )
    if isinstance(value, str):
        data = value.encode()
        return (
            bytes([0b010_00000 | len(data)]) + data
            if len(data) < 29
            else bytes([0b010_11101, len(data) - 29]) + data
        )
    if isinstance(value, list):
        return bytes([len(value), 4]) + b"".join(map(_mmdb_value, value))
    size, number = value  # an unsigned integer of so many bytes
    kind = {2: b"\xa2", 4: b"\xc4", 8: b"\x08\x02"}[size]
    return kind + number.to_bytes(size, "big")


def write_mmdb(path, countries, record=lambda code: {"country": {"iso_code": code}}):
    """Write a small country database, IPv4, 24-bit records."""
    nodes, data = [[None, None]], b""
    for network, code in countries.items():
        net, node = ipaddress.ip_network(network), 0
        bits = f"{int(net.network_address):032b}"[: net.prefixlen]
        for bit in bits[:-1]:
            if nodes[node][int(bit)] is None:
                nodes.append([None, None])
                nodes[node][int(bit)] = len(nodes) - 1
            node = nodes[node][int(bit)]
        nodes[node][int(bits[-1])] = ("data", len(data))
        data += _mmdb_value(record(code))

    def pointer(entry):
        if entry is None:
            return len(nodes)
        return len(nodes) + 16 + entry[1] if isinstance(entry, tuple) else entry

    tree = b"".join(pointer(entry).to_bytes(3, "big") for node in nodes for entry in node)
    metadata = {
        "node_count": (4, len(nodes)), "record_size": (2, 24), "ip_version": (2, 4), "database_type": "test",
        "languages": ["en"], "binary_format_major_version": (2, 2), "binary_format_minor_version": (2, 0),
        "build_epoch": (8, 1_700_000_000), "description": {"en": "test"},
    }  # fmt: skip
    path.write_bytes(tree + bytes(16) + data + b"\xab\xcd\xefMaxMind.com" + _mmdb_value(metadata))
    return path


class DnsServer(threading.Thread):
    """A real name server on loopback: answers by a function from host to address, None for no such host."""

    def __init__(self, answer):
        super().__init__(daemon=True)
        self.answer, self.asked = answer, []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"

    def run(self):
        import dns.message
        import dns.rcode
        import dns.rrset

        while True:
            try:
                wire, client = self.socket.recvfrom(4096)
            except OSError:
                return
            query = dns.message.from_wire(wire)
            host = query.question[0].name.to_text(omit_final_dot=True)
            self.asked.append(host)
            found = self.answer(host)
            if found == "silence":
                continue
            reply = dns.message.make_response(query)
            if found is None:
                reply.set_rcode(dns.rcode.NXDOMAIN)
            elif query.question[0].rdtype == 1:
                reply.answer.append(dns.rrset.from_text(query.question[0].name, 60, "IN", "A", found))
            self.socket.sendto(reply.to_wire(), client)


def hosted_at(host):
    """The made-up web: sites under a country code are hosted at home, .com in Germany."""
    home = {"de": 1, "at": 1, "com": 1, "uk": 2, "us": 2, "es": 3, "mx": 3, "fr": 4, "tn": 4, "it": 5}
    tld = host.rpartition(".")[2]
    if host.startswith("slow"):
        return "silence"
    return f"10.{home[tld]}.0.9" if tld in home else "192.0.2.1" if tld == "nowhere" else None


@pytest.fixture(scope="session")
def database(tmp_path_factory):
    """A country database that the tests wrote."""
    return write_mmdb(tmp_path_factory.mktemp("geo") / "countries.mmdb", COUNTRIES)


@pytest.fixture(scope="session")
def dns_server():
    """A name server on loopback."""
    server = DnsServer(hosted_at)
    server.start()
    yield server
    server.socket.close()


@pytest.fixture(scope="session")
def hosting(database, dns_server):
    """Hosting countries of the made-up web."""
    from linksight.features.geo import HostingCountries

    return HostingCountries(database, nameservers=[dns_server.address], timeout_s=60.0)


@pytest.fixture
def make_mmdb():
    """The writer of country databases."""
    return write_mmdb


@pytest.fixture
def serve_dns():
    """Starts name servers and stops them."""
    servers = []

    def start(answer):
        servers.append(DnsServer(answer))
        servers[-1].start()
        return servers[-1]

    yield start
    for server in servers:
        server.socket.close()
