import TintypeCore

/// What a file says of each of its items (ISO/IEC 23008-12, 9.3).
struct HEIFProperties {
    private let file: ISOFile
    private let all: [ISOBox]
    /// Which of them each item has.
    private let ofItems: [Int: [Int]]

    /// - Parameter meta: the box that tells of the items, after its version.
    /// - Throws: ``TintypeError/Code/undecodable`` for boxes that make no sense.
    init(_ file: ISOFile, _ meta: Range<Int>) throws(TintypeError) {
        self.file = file
        let properties = try file.needed("iprp", in: meta).body
        all = try file.boxes(in: file.needed("ipco", in: properties).body)
        ofItems = try file.itemProperties(in: properties)
    }

    /// The items of which a property says something.
    func items(_ says: (ISOBox) -> Bool) -> Set<Int> {
        let saying = Set(all.indices.filter { says(all[$0]) })
        return Set(ofItems.filter { !saying.isDisjoint(with: $0.value) }.keys)
    }

    /// The pixels that are coded for each item that is coded with HEVC, by its parameter sets.
    func codedSizes() throws(TintypeError) -> [Int: Int] {
        var sizes: [Int: Int] = [:]
        for (index, box) in all.enumerated() where box.kind == "hvcC" {
            for set in try HEIFSampleEntry.parameterSets(file, box.body) {
                let pixels = HEVCParameterSet(UnsafeRawBufferPointer(rebasing: file.bytes[set]))?.pixels ?? 0
                sizes[index] = max(sizes[index] ?? 0, pixels)
            }
        }
        return ofItems.mapValues { $0.compactMap { sizes[$0] }.max() ?? 0 }
    }
}
