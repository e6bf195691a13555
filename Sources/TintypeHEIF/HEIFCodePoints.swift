import TintypeCore

/// Whether libheif may be asked for the code points of a picture. Of those that it does not know it makes an error, and
/// version 1.15 loses a little memory with it, every time.
enum HEIFCodePoints {
    /// Whether it knows all that the file has (`colr` of the kind `nclx`: ISO/IEC 14496-12, 12.1.5).
    static func areKnown(in bytes: UnsafeRawBufferPointer) -> Bool {
        let file = ISOFile(bytes: bytes)
        let metas = file.soundBoxes(in: 0..<bytes.count).filter { $0.kind == "meta" }
        let properties = metas.flatMap { file.soundBoxes(in: $0.fullBody) }.filter { $0.kind == "iprp" }
        let containers = properties.flatMap { file.soundBoxes(in: $0.body) }.filter { $0.kind == "ipco" }
        let colors = containers.flatMap { file.soundBoxes(in: $0.body) }.filter { $0.kind == "colr" }
        return colors.allSatisfy { areKnown(in: $0.body, file) }
    }

    private static func areKnown(in body: Range<Int>, _ file: ISOFile) -> Bool {
        guard body.count >= 4, file.bytes[body.prefix(4)].elementsEqual("nclx".utf8) else { return true }
        let places = [4, 6, 8].map { body.lowerBound + $0 }
        let codes = places.compactMap { try? file.number(at: $0, size: 2, in: body) }
        let known = [primaries, transfers, matrices]
        return codes.count == known.count && zip(known, codes).allSatisfy { $0.contains($1) }
    }

    // ITU-T H.273, tables 2 to 4, as libheif has them.
    private static let primaries = Set(4...12).union([1, 2, 22])
    private static let transfers = Set(4...18).union([1, 2])
    private static let matrices = Set(4...14).union(0...2)
}
