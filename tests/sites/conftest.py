"""Real sites on loopback, each started once for all tests."""

collect_ignore_glob = ["apps/*"]
