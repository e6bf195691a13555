/// Reads boxes and the numbers in them, never outside of the file.
package struct ISOFile {
    package let bytes: UnsafeRawBufferPointer

    package init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The boxes that stand one after the other in a part of the file.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for one that ends beyond the part.
    package func boxes(in part: Range<Int>) throws(TintypeError) -> [ISOBox] {
        var boxes: [ISOBox] = []
        _ = try first(in: part) { box in
            boxes.append(box)
            return false
        }
        return boxes
    }

    /// The first box that is looked for. Those after it are not read, so a file may end there.
    private func first(in part: Range<Int>, _ isWanted: (ISOBox) -> Bool) throws(TintypeError) -> ISOBox? {
        var (place, count) = (part.lowerBound, 0)
        while place + 8 <= part.upperBound {
            let (head, size) = try extent(at: place, in: part)
            guard size >= head, size <= part.upperBound - place, count < Self.mostBoxes else { throw .damagedBoxes }
            let letters = bytes[place + 4..<place + 8]
            let box = ISOBox(kind: String(decoding: letters, as: UTF8.self), body: place + head..<place + size)
            if isWanted(box) { return box }
            (place, count) = (place + size, count + 1)
        }
        return nil
    }

    /// Those before the first that ends beyond the part.
    package func soundBoxes(in part: Range<Int>) -> [ISOBox] {
        var boxes: [ISOBox] = []
        _ = try? first(in: part) { box in
            boxes.append(box)
            return false
        }
        return boxes
    }

    /// Boxes in one place, which are more than any writer makes.
    package static let mostBoxes = 10_000

    /// The bytes of the head, and of the whole box.
    private func extent(at place: Int, in part: Range<Int>) throws(TintypeError) -> (head: Int, size: Int) {
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

    /// The first box of a kind in a part.
    package func box(_ kind: String, in part: Range<Int>) throws(TintypeError) -> ISOBox? {
        try first(in: part) { $0.kind == kind }
    }

    /// The same where the file is useless without it.
    package func needed(_ kind: String, in part: Range<Int>) throws(TintypeError) -> ISOBox {
        guard let found = try box(kind, in: part) else { throw .damagedBoxes }
        return found
    }

    /// A big-endian number.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` when it is not wholly inside the part.
    package func number(at place: Int, size: Int = 4, in part: Range<Int>) throws(TintypeError) -> Int {
        guard place >= part.lowerBound, place <= part.upperBound - size else { throw .damagedBoxes }
        return bytes[place..<place + size].reduce(0) { $0 << 8 | Int($1) }
    }
}

extension TintypeError {
    static let damagedBoxes = TintypeError(
        .undecodable, stage: .decode, "boxes of the file make no sense, or it is cut short")
}
