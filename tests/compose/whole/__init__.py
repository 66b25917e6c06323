"""One stack with all profiles, that the tests of this folder share: an `up` takes a while."""
