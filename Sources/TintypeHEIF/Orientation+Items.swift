import TintypeCore

extension Orientation {
    /// How the primary picture of a file is to be turned and mirrored, whatever order that is told in
    /// (ISO/IEC 23008-12, 6.5.10 and 6.5.12).
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense.
    init(primaryItemOf bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        let file = ISOFile(bytes: bytes)
        let meta = try file.itemBox()
        let properties = try file.needed("iprp", in: meta).body
        let all = try file.boxes(in: file.needed("ipco", in: properties).body)
        var (turns, mirror) = (0, Int?.none)
        let own = try file.itemProperties(in: properties)[file.primaryItem(meta)] ?? []
        for index in own where all.indices.contains(index) {
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
