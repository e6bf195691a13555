/// Reads the boxes of an ISO base media file and the numbers in them, with bounds checks.
package struct ISOFile {
    /// The whole file, or the part that has arrived. It must outlive this value.
    package let bytes: UnsafeRawBufferPointer

    /// Creates a reader over bytes that must outlive it.
    package init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Returns the consecutive boxes in a part of the file.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if a box ends beyond the part, or if there are more than
    ///   ``maxBoxes``.
    package func boxes(in part: Range<Int>) throws(TintypeError) -> [ISOBox] {
        var boxes: [ISOBox] = []
        _ = try first(in: part) { box in
            boxes.append(box)
            return false
        }
        return boxes
    }

    /// Returns the first box that matches. Boxes after it are not read, so the file may be truncated there.
    private func first(in part: Range<Int>, _ isWanted: (ISOBox) -> Bool) throws(TintypeError) -> ISOBox? {
        var (place, count) = (part.lowerBound, 0)
        while place + 8 <= part.upperBound {
            let (header, size) = try extent(at: place, in: part)
            guard size >= header, size <= part.upperBound - place, count < Self.maxBoxes else { throw .damagedBoxes }
            let kind = bytes[place + 4..<place + 8]
            let box = ISOBox(kind: String(decoding: kind, as: UTF8.self), body: place + header..<place + size)
            if isWanted(box) { return box }
            (place, count) = (place + size, count + 1)
        }
        return nil
    }

    /// Returns the consecutive boxes before the first damaged or truncated one.
    package func intactBoxes(in part: Range<Int>) -> [ISOBox] {
        var boxes: [ISOBox] = []
        _ = try? first(in: part) { box in
            boxes.append(box)
            return false
        }
        return boxes
    }

    /// The maximum number of consecutive boxes, more than any encoder writes.
    package static let maxBoxes = 10_000

    /// Returns the number of bytes of a box's header and of the whole box.
    private func extent(at place: Int, in part: Range<Int>) throws(TintypeError) -> (header: Int, size: Int) {
        let size = try number(at: place, in: part)
        switch size {
        case 0: return (8, part.upperBound - place)
        case 1:
            let (high, low) = (try number(at: place + 8, in: part), try number(at: place + 12, in: part))
            guard high < 1 << 30 else { throw .damagedBoxes }
            return (16, high << 32 | low)
        default: return (8, size)
        }
    }

    /// Returns the first box of a kind in a part of the file; `nil` if there is none.
    package func box(_ kind: String, in part: Range<Int>) throws(TintypeError) -> ISOBox? {
        try first(in: part) { $0.kind == kind }
    }

    /// Returns the first box of a kind in a part of the file.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if there is none.
    package func requiredBox(_ kind: String, in part: Range<Int>) throws(TintypeError) -> ISOBox {
        guard let box = try box(kind, in: part) else { throw .damagedBoxes }
        return box
    }

    /// Returns a big-endian unsigned integer.
    ///
    /// - Parameters:
    ///   - place: Its offset in the file.
    ///   - size: Its number of bytes, at most 7.
    ///   - part: The range that must contain it.
    /// - Throws: ``TintypeError/Code/undecodable`` if it is not entirely inside the part.
    package func number(at place: Int, size: Int = 4, in part: Range<Int>) throws(TintypeError) -> Int {
        guard place >= part.lowerBound, place <= part.upperBound - size else { throw .damagedBoxes }
        return bytes[place..<place + size].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// A box of an ISO base media file (ISO/IEC 14496-12, 4.2), as ranges of offsets in the file.
package struct ISOBox {
    /// The four-character code of its type.
    package let kind: String
    /// The range of its contents, after the header.
    package let body: Range<Int>

    /// The contents of a full box, after its version and flags (4.2.2).
    package var fullBody: Range<Int> { min(body.lowerBound + 4, body.upperBound)..<body.upperBound }
}

extension TintypeError {
    static let damagedBoxes = TintypeError(
        .undecodable, stage: .decode, "the boxes of the file are damaged or truncated")
}
