import TintypeCore

/// What a file says of its items, read as libheif reads it, or refused.
extension ISOFile {
    /// The box that tells of the items of a file, after its version.
    ///
    /// A file has one. libheif takes the last, and refuses the file where that one lacks what is asked for here; so others
    /// that lack it are passed over.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` where there is none, and where there are several: which one others take
    ///   depends on what they make of the rest of it.
    func itemBox() throws(TintypeError) -> Range<Int> {
        var found: Range<Int>?
        for meta in try boxes("meta", in: 0..<bytes.count) {
            guard try !boxes("iinf", in: meta.fullBody).isEmpty, try !boxes("iloc", in: meta.fullBody).isEmpty else {
                continue
            }
            guard found == nil else { throw .hiddenPictures }
            found = meta.fullBody
        }
        guard let found else { throw .noItems }
        return found
    }

    /// Those before the first that is unsound, which ends the file for libheif too.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for more boxes than are looked at.
    func boxes(_ kind: String, in part: Range<Int>) throws(TintypeError) -> [ISOBox] {
        let all = soundBoxes(in: part)
        guard all.count < Self.mostBoxes else { throw .hiddenPictures }
        return all.filter { $0.kind == kind }
    }

    /// The number of the item that is shown (ISO/IEC 14496-12, 8.11.4).
    func primaryItem(_ meta: Range<Int>) throws(TintypeError) -> Int {
        let body = try needed("pitm", in: meta).body
        let isLong = try number(at: body.lowerBound, size: 1, in: body) > 0
        return try number(at: body.lowerBound + 4, size: isLong ? 4 : 2, in: body)
    }

    /// Numbers of items in lists of one kind: many more than any writer makes.
    private static let mostNumbers = 100_000

    // MARK: Properties

    /// Which of the properties each item has, in order, from 0 (ISO/IEC 23008-12, 9.3.1): of two lists the first counts.
    func itemProperties(in part: Range<Int>) throws(TintypeError) -> [Int: [Int]] {
        var (all, left) = ([Int: [Int]](), Self.mostNumbers)
        for box in try boxes(in: part) where box.kind == "ipma" {
            let idSize = try number(at: box.body.lowerBound, size: 1, in: box.body) > 0 ? 4 : 2
            let size = try number(at: box.body.lowerBound + 3, size: 1, in: box.body) & 1 == 1 ? 2 : 1
            var place = box.body.lowerBound + 8
            for _ in 0..<(try number(at: box.body.lowerBound + 4, in: box.body)) {
                let item = try number(at: place, size: idSize, in: box.body)
                let count = try number(at: place + idSize, size: 1, in: box.body)
                left -= 1 + count
                guard left >= 0 else { throw .hiddenPictures }
                let indices = try propertyIndices(at: place + idSize + 1, count, size: size, in: box.body)
                if all[item] == nil { all[item] = indices }
                place += idSize + 1 + count * size
            }
        }
        return all
    }

    /// The highest bit of each says that it must be understood.
    private func propertyIndices(
        at place: Int, _ count: Int, size: Int, in part: Range<Int>
    ) throws(TintypeError) -> [Int] {
        var indices: [Int] = []
        for index in 0..<count {
            let stored = try number(at: place + index * size, size: size, in: part)
            indices.append(stored & (size == 2 ? 0x7FFF : 0x7F) - 1)
        }
        return indices
    }

    // MARK: References

    /// One item says in some way that others have to do with it (ISO/IEC 14496-12, 8.11.12).
    struct Reference {
        let kind: String
        let from: Int
        let to: [Int]
    }

    /// - Throws: ``TintypeError/Code/undecodable`` where a box is of another size than what is in it: libheif goes by this,
    ///   others by that.
    func references(in meta: Range<Int>) throws(TintypeError) -> [Reference] {
        var (all, left) = ([Reference](), Self.mostNumbers)
        for box in try boxes("iref", in: meta) {
            let size = try number(at: box.body.lowerBound, size: 1, in: box.body) > 0 ? 4 : 2
            for reference in try boxes(in: box.fullBody) {
                let start = reference.body.lowerBound
                let count = try number(at: start + size, size: 2, in: reference.body)
                left -= 1 + count
                guard left >= 0, reference.kind != "uuid", reference.body.count == size + 2 + count * size else {
                    throw .hiddenPictures
                }
                var items: [Int] = []
                for index in 0..<count {
                    items.append(try number(at: start + size + 2 + index * size, size: size, in: reference.body))
                }
                let from = try number(at: start, size: size, in: reference.body)
                all.append(Reference(kind: reference.kind, from: from, to: items))
            }
        }
        return all
    }
}
