/// Which pixels are made of the bytes: decoded how, then transformed by what, in order. All of it is in the key.
public struct Rendition: Sendable {
    public var decode: DecodeOptions
    public var transforms: [any ImageTransformer]

    public init(decode: DecodeOptions = DecodeOptions(), transforms: [any ImageTransformer] = []) {
        self.decode = decode
        self.transforms = transforms
    }

    /// A canonical form that differs wherever the pixels may differ; empty for the original as it is.
    ///
    /// The parts are separated by a byte that is escaped inside them, so that no two lists read the same.
    public var identifier: String {
        let parts = [decode.identifier] + transforms.map(\.identifier)
        return parts.allSatisfy(\.isEmpty) ? "" : parts.map(Self.escaped).joined(separator: "|")
    }

    /// The rendition without its last transform: what that one is applied to.
    func droppingLastTransform() -> Rendition {
        Rendition(decode: decode, transforms: transforms.dropLast())
    }

    private static func escaped(_ part: String) -> String {
        guard part.utf8.contains(where: { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: "\\") }) else { return part }
        return part.replacing("\\", with: "\\\\").replacing("|", with: "\\p")
    }
}
