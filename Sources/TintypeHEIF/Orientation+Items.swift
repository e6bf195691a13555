import TintypeCore

extension Orientation {
    /// How the primary picture of a file is to be turned and mirrored, whatever order that is told in
    /// (ISO/IEC 23008-12, 6.5.10 and 6.5.12).
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense.
    init(primaryItemOf bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        let file = ISOFile(bytes: bytes)
        let meta = try file.needed("meta", in: 0..<bytes.count).fullBody
        let properties = try file.needed("iprp", in: meta).body
        let all = try file.boxes(in: file.needed("ipco", in: properties).body)
        var (turns, mirror) = (0, Int?.none)
        for index in try file.properties(of: file.primaryItem(meta), in: properties) where all.indices.contains(index) {
            guard let value = file.bytes[all[index].body].first else { continue }
            switch all[index].kind {
            // To turn what was mirrored is to mirror what was turned the other way.
            case "irot": turns += mirror == nil ? Int(value & 3) : -Int(value & 3)
            case "imir":
                let axis = Int(value & 1)
                // Mirrored along both axes is turned by half.
                if let mirror, mirror != axis { turns += 2 }
                mirror = mirror == nil ? axis : nil
            default: break
            }
        }
        self.init(quarterTurns: turns, mirror: mirror)
    }
}

extension ISOFile {
    fileprivate func primaryItem(_ meta: Range<Int>) throws(TintypeError) -> Int {
        let body = try needed("pitm", in: meta).body
        let isLong = try number(at: body.lowerBound, size: 1, in: body) > 0
        return try number(at: body.lowerBound + 4, size: isLong ? 4 : 2, in: body)
    }

    /// Which of the properties an item has, in order, from 0 (ISO/IEC 23008-12, 9.3.1).
    fileprivate func properties(of item: Int, in part: Range<Int>) throws(TintypeError) -> [Int] {
        for box in try boxes(in: part) where box.kind == "ipma" {
            let idSize = try number(at: box.body.lowerBound, size: 1, in: box.body) > 0 ? 4 : 2
            let size = try number(at: box.body.lowerBound + 3, size: 1, in: box.body) & 1 == 1 ? 2 : 1
            var place = box.body.lowerBound + 8
            for _ in 0..<(try number(at: box.body.lowerBound + 4, in: box.body)) {
                let id = try number(at: place, size: idSize, in: box.body)
                let count = try number(at: place + idSize, size: 1, in: box.body)
                place += idSize + 1
                if id == item { return try indices(at: place, count, size: size, in: box.body) }
                place += count * size
            }
        }
        return []
    }

    /// The highest bit of each says that it must be understood.
    private func indices(
        at place: Int, _ count: Int, size: Int, in part: Range<Int>
    ) throws(TintypeError) -> [Int] {
        var indices: [Int] = []
        for index in 0..<count {
            let stored = try number(at: place + index * size, size: size, in: part)
            indices.append(stored & (size == 2 ? 0x7FFF : 0x7F) - 1)
        }
        return indices
    }
}
