"""The client of an upstream, the proxy and the tunnel."""
