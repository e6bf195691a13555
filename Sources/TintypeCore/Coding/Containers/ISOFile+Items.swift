/// The item structure of a file. These functions read it as libheif does, and throw where readers could disagree.
extension ISOFile {
    /// Returns the body of the `meta` box that describes the items, after its version.
    ///
    /// libheif uses the last `meta` box, and rejects a file where that one lacks `iinf` or `iloc`; boxes that lack
    /// either are skipped here.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if there is none, or more than one: readers choose different ones.
    package func itemMetaBox() throws(TintypeError) -> Range<Int> {
        var body: Range<Int>?
        for meta in try boxes("meta", in: 0..<bytes.count) {
            guard try !boxes("iinf", in: meta.fullBody).isEmpty, try !boxes("iloc", in: meta.fullBody).isEmpty else {
                continue
            }
            guard body == nil else { throw .suspectStructure }
            body = meta.fullBody
        }
        guard let body else { throw .noItems }
        return body
    }

    /// Returns the boxes of a kind up to the first malformed box, which ends the file for libheif too.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if there are too many boxes to check.
    package func boxes(_ kind: String, in part: Range<Int>) throws(TintypeError) -> [ISOBox] {
        let all = intactBoxes(in: part)
        guard all.count < Self.maxBoxes else { throw .suspectStructure }
        return all.filter { $0.kind == kind }
    }

    /// Returns the number of the primary item (ISO/IEC 14496-12, 8.11.4).
    package func primaryItem(_ meta: Range<Int>) throws(TintypeError) -> Int {
        let body = try requiredBox("pitm", in: meta).body
        let isLong = try number(at: body.lowerBound, size: 1, in: body) > 0
        return try number(at: body.lowerBound + 4, size: isLong ? 4 : 2, in: body)
    }

    /// Returns the number of the primary item of the file.
    package func primaryItem() throws(TintypeError) -> Int { try primaryItem(itemMetaBox()) }

    /// The number of entries in the lists of one kind, far more than any writer makes.
    private static let maxEntries = 100_000

    // MARK: Properties

    /// Returns the property indices of each item, in order and from 0 (`ipma`: ISO/IEC 23008-12, 9.3.1). If an item has
    /// two lists, the first counts.
    package func itemProperties(in part: Range<Int>) throws(TintypeError) -> [Int: [Int]] {
        var (all, entriesLeft) = ([Int: [Int]](), Self.maxEntries)
        for box in try boxes(in: part) where box.kind == "ipma" {
            let idSize = try number(at: box.body.lowerBound, size: 1, in: box.body) > 0 ? 4 : 2
            let size = try number(at: box.body.lowerBound + 3, size: 1, in: box.body) & 1 == 1 ? 2 : 1
            var offset = box.body.lowerBound + 8
            for _ in 0..<(try number(at: box.body.lowerBound + 4, in: box.body)) {
                let item = try number(at: offset, size: idSize, in: box.body)
                let count = try number(at: offset + idSize, size: 1, in: box.body)
                entriesLeft -= 1 + count
                guard entriesLeft >= 0 else { throw .suspectStructure }
                let indices = try propertyIndices(at: offset + idSize + 1, count, size: size, in: box.body)
                if all[item] == nil { all[item] = indices }
                offset += idSize + 1 + count * size
            }
        }
        return all
    }

    /// Reads `count` indices. The highest bit of each marks an essential property and is dropped.
    private func propertyIndices(
        at offset: Int, _ count: Int, size: Int, in part: Range<Int>
    ) throws(TintypeError) -> [Int] {
        var indices: [Int] = []
        for index in 0..<count {
            let stored = try number(at: offset + index * size, size: size, in: part)
            indices.append(stored & (size == 2 ? 0x7FFF : 0x7F) - 1)
        }
        return indices
    }

    // MARK: References

    /// A typed reference from one item to others (ISO/IEC 14496-12, 8.11.12).
    package struct Reference: Equatable {
        /// The reference type, four letters.
        package let kind: String
        package let from: Int
        package let to: [Int]

        package init(kind: String, from: Int, to: [Int]) {
            (self.kind, self.from, self.to) = (kind, from, to)
        }
    }

    /// Returns the references of the file.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if the size of a box differs from its contents: libheif goes by the
    ///   contents, others by the size.
    package func references(in meta: Range<Int>) throws(TintypeError) -> [Reference] {
        var (all, entriesLeft) = ([Reference](), Self.maxEntries)
        for box in try boxes("iref", in: meta) {
            let size = try number(at: box.body.lowerBound, size: 1, in: box.body) > 0 ? 4 : 2
            for reference in try boxes(in: box.fullBody) {
                let start = reference.body.lowerBound
                let count = try number(at: start + size, size: 2, in: reference.body)
                entriesLeft -= 1 + count
                guard entriesLeft >= 0, reference.kind != "uuid", reference.body.count == size + 2 + count * size else {
                    throw .suspectStructure
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

extension TintypeError {
    package static let noItems = TintypeError(.undecodable, stage: .decode, "the file has no items")
}
