"""Bytes on disk, by the digest of what they were made from."""
