"""Rows M and D: the memory cache and the disk cache."""

from . import eviction
from .rows import Ours, Row, Value, time_of, value

ENTRIES = 4_000
DISK = ("20000", "10240", "all")
LARGE = ("64", "1048576", "all")
BATCH = 1_000
JPEG = ("{folder}/small.jpg",)


def memory(side, *arguments, row="memory", operations=ENTRIES):
    return Ours(row, side, arguments or (str(ENTRIES),), operations)


def disk(side, arguments=DISK, operations=BATCH):
    return Ours("disk", side, arguments, operations)


def threads(side, count):
    return Ours("memory-threads", side, (str(count),), 100_000 * count)


ROWS = [
    Row("M1", "memory hit by a key made of a string of 80 characters", memory("key of a string"), memory("dictionary"),
        "a dictionary behind a lock", 1.0),
    Row("M1 key", "memory hit by a key with its hash", memory("ours"), memory("dictionary"),
        "a dictionary behind a lock", 0.5),
    Row("M1 request", "memory hit of a pipeline by a request", memory("request"), memory("dictionary"),
        "a dictionary behind a lock", 0.5),
    Row("M2", "memory hits of two threads, Zipf 0.99", threads("ours", 2), threads("dictionary", 2),
        "a dictionary behind a lock", 0.25, part="wall"),
    # In processor time, which other load does not change: a ratio of 1.11 is 1.8 times the hits in the same time.
    Row("M2 scaling", "processor time of a memory hit of two threads", threads("ours", 2), threads("ours", 1),
        "one thread", 2 / 1.8),
    Value("M2 allocations", "allocations of a memory hit", value("memory", "allocations", ENTRIES), "", 0),
    *eviction.ROWS,
    Row("M4", "store that evicts, among 100,000 images", memory("ours", "100000", row="memory-store", operations=10_000),
        memory("dictionary", "100000", row="memory-store", operations=10_000),
        "a dictionary behind a lock that removes the oldest", 2.0),
    Value("M4 p99.9", "store that evicts, 99.9th percentile",
          value("memory-store", "99.9th percentile in µs", 100_000), "µs", 20, times=5),
    Row("D1", "verified read of 10 KB", disk("get"), disk("get files"), "open, fstat, read, close", 1 / 3),
    Row("D1 SQLite", "verified read of 10 KB", disk("get"), disk("get sqlite"), "SQLite, mapped", 1 / 2,
        needs=("sqlite3",)),
    Row("D2", "verified read of 1 MB", disk("get", LARGE, 64), disk("get files", LARGE, 64), "open, fstat, read, close",
        1.0),
    Row("D3", "miss", disk("miss"), disk("miss files"), "stat of a missing file", 0.1),
    Value("D3 time", "miss", time_of("disk", "miss", *DISK, operations=BATCH, unit=1e9), "ns", 150),
    Row("D4", "write of 10 KB, bookkeeping included", disk("put"), disk("put files"), "write, close, rename", 0.5,
        part="wall"),
    Row("D4 SQLite", "write of 10 KB, bookkeeping included", disk("put"), disk("put sqlite"),
        "SQLite, WAL, NORMAL, a transaction each", 1 / 5, part="wall", needs=("sqlite3",)),
    Value("D4 allocations", "allocations of a write", value("disk", "allocations of a put", *DISK), "", 10, times=5),
    Value("D5", "opening of a cache of 20,000 entries, totals included",
          time_of("disk", "open", *DISK, unit=1e3, part="wall"), "ms", 100),
    Value("D6", "bytes on disk for a byte of 10 KB entries",
          value("disk", "bytes on disk a byte", "2000", "10240", "none"), "", 1.03, times=1),
    Row("D7 pixels", "thumbnail of 200 × 200 pixels from the cache of pixels", Ours("pixels", "ours", JPEG),
        Ours("pixels", "decode", JPEG), "decoding its JPEG", 1 / 5),
]
