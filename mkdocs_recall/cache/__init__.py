"""The cache: bytes on disk, by the digest of what they were computed from."""
