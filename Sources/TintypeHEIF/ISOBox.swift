import TintypeCore

/// A box of an ISO base media file (ISO/IEC 14496-12, 4.2), by its places in the file.
struct ISOBox {
    /// Its four letters.
    let kind: String
    /// What follows its head.
    let body: Range<Int>

    /// The body of a full box, after its version and flags (4.2.2).
    var fullBody: Range<Int> { min(body.lowerBound + 4, body.upperBound)..<body.upperBound }
}

/// Reads boxes and the numbers in them, never outside of the file.
struct ISOFile {
    let bytes: UnsafeRawBufferPointer

    /// The boxes that stand one after the other in a part of the file.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for one that ends beyond the part.
    func boxes(in part: Range<Int>) throws(TintypeError) -> [ISOBox] {
        var boxes: [ISOBox] = []
        var place = part.lowerBound
        while place + 8 <= part.upperBound {
            guard boxes.count < Self.mostBoxes else { throw .damagedSequence }
            let box = try box(at: place, in: part)
            boxes.append(box)
            place = box.body.upperBound
        }
        return boxes
    }

    /// Those before the first that ends beyond the part.
    func soundBoxes(in part: Range<Int>) -> [ISOBox] {
        var boxes: [ISOBox] = []
        var place = part.lowerBound
        while place + 8 <= part.upperBound, boxes.count < Self.mostBoxes, let box = try? box(at: place, in: part) {
            boxes.append(box)
            place = box.body.upperBound
        }
        return boxes
    }

    private func box(at place: Int, in part: Range<Int>) throws(TintypeError) -> ISOBox {
        let (head, size) = try extent(at: place, in: part)
        guard size >= head, size <= part.upperBound - place else { throw .damagedSequence }
        let letters = bytes[place + 4..<place + 8]
        return ISOBox(kind: String(decoding: letters, as: UTF8.self), body: place + head..<place + size)
    }

    /// Boxes in one place, which are more than any writer makes.
    private static let mostBoxes = 10_000

    /// The bytes of the head, and of the whole box.
    private func extent(at place: Int, in part: Range<Int>) throws(TintypeError) -> (head: Int, size: Int) {
        let size = try number(at: place, in: part)
        switch size {
        case 0: return (8, part.upperBound - place)
        case 1:
            let (high, low) = (try number(at: place + 8, in: part), try number(at: place + 12, in: part))
            guard high < 1 << 30 else { throw .damagedSequence }
            return (16, high << 32 | low)
        default: return (8, size)
        }
    }

    /// The first box of a kind in a part.
    func box(_ kind: String, in part: Range<Int>) throws(TintypeError) -> ISOBox? {
        try boxes(in: part).first { $0.kind == kind }
    }

    /// The same where the file is useless without it.
    func needed(_ kind: String, in part: Range<Int>) throws(TintypeError) -> ISOBox {
        guard let found = try box(kind, in: part) else { throw .damagedSequence }
        return found
    }

    /// A big-endian number.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` when it is not wholly inside the part.
    func number(at place: Int, size: Int = 4, in part: Range<Int>) throws(TintypeError) -> Int {
        guard place >= part.lowerBound, place <= part.upperBound - size else { throw .damagedSequence }
        return bytes[place..<place + size].reduce(0) { $0 << 8 | Int($1) }
    }
}

extension TintypeError {
    static let damagedSequence = TintypeError(
        .undecodable, stage: .decode, "the HEIC sequence is damaged or cut short")
}
