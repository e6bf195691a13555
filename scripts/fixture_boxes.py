"""Boxes of ISO base media files (ISO/IEC 14496-12) for the fixtures that no tool at hand writes."""

import struct


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def full_box(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def boxes(data, start=0, end=None):
    """(kind, place, size) of each box."""
    place, end = start, len(data) if end is None else end
    while place + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, place)
        yield kind, place, size
        place += size


def find(data, *path):
    """The place and size of the first box at a path; meta is a full box."""
    start, end = 0, len(data)
    for kind in path:
        start, size = next((p, s) for k, p, s in boxes(data, start, end) if k == kind)
        place, end = start, start + size
        start += 12 if kind == b"meta" else 8
    return place, end - place


def nclx(primaries, transfer, matrix, full_range=True):
    return box(b"colr", b"nclx", struct.pack(">HHHB", primaries, transfer, matrix, 0x80 if full_range else 0))


def with_property(data, item, extra):
    """A file of pictures whose item has one more property, which stands last in ipco."""
    place, size = find(data, b"meta", b"iprp", b"ipco")
    index = 1 + len(list(boxes(data, place + 8, place + size)))
    place, size = find(data, b"meta", b"iprp", b"ipma")
    version, flags = data[place + 8], data[place + 11]
    assert version == 0 and flags == 0
    ipma = bytearray(data[place:place + size])
    at = 16
    for _ in range(struct.unpack_from(">I", ipma, 12)[0]):
        number, count = struct.unpack_from(">HB", ipma, at)
        if number == item:
            ipma[at + 2] += 1
            ipma.insert(at + 3 + count, index)
            break
        at += 3 + count
    struct.pack_into(">I", ipma, 0, len(ipma))
    grown = data[:place] + bytes(ipma) + data[place + size:]
    place, size = find(data, b"meta", b"iprp", b"ipco")
    grown = grown[:place + size] + extra + grown[place + size:]
    delta = len(extra) + 1
    for path, more in ((("ipco",), len(extra)), ((), delta)):
        at = find(data, b"meta", b"iprp", *(p.encode() for p in path))[0]
        grown = resized(grown, at, more)
    grown = resized(grown, find(data, b"meta")[0], delta)
    return moved(grown, delta)


def resized(data, place, more):
    return data[:place] + struct.pack(">I", struct.unpack_from(">I", data, place)[0] + more) + data[place + 4:]


def moved(data, delta):
    """With the places of all items moved: those that iloc counts from the beginning of the file."""
    place, _ = find(data, b"meta", b"iloc")
    out, version = bytearray(data), data[place + 8]
    sizes = struct.unpack_from(">H", data, place + 12)[0]
    offset, length, base, index = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15, sizes & 15
    at = place + 16
    for _ in range(struct.unpack_from(">H", data, place + 14)[0]):
        at += 2
        method = struct.unpack_from(">H", data, at)[0] & 15 if version > 0 else 0
        at += (2 if version > 0 else 0) + 2 + base
        extents = struct.unpack_from(">H", data, at)[0]
        at += 2
        for _ in range(extents):
            at += index if version > 0 else 0
            if method == 0:
                number = int.from_bytes(data[at:at + offset], "big") + delta
                out[at:at + offset] = number.to_bytes(offset, "big")
            at += offset + length
    return bytes(out)


def put(data, extra, at, *around):
    """A film with one more box, which grows those around it, by their places; its own samples, which lie behind, move."""
    grown = data[:at] + extra + data[at:]
    for place in around:
        grown = resized(grown, place, len(extra))
    movie, size = find(grown, b"moov")
    out, at = bytearray(grown), movie
    while (at := grown.find(b"stco", at, movie + size)) >= 0:
        for index in range(struct.unpack_from(">I", grown, at + 8)[0]):
            place = at + 12 + 4 * index
            struct.pack_into(">I", out, place, struct.unpack_from(">I", grown, place)[0] + len(extra))
        at += 4
    return bytes(out)
