/// Which pixels are made of the bytes: decoded how, then transformed by what, in order. All of it is in the key.
public struct Rendition: Sendable {
    /// How the bytes become pixels, before any transform.
    public var decode: DecodeOptions
    /// In order; a ``TransformerChain`` is replaced by its parts.
    public var transforms: [any ImageTransformer] {
        didSet { transforms = transforms.flattened }
    }
    /// What the transforms are applied to beside still pictures; by default nothing, as in the original system.
    public var transformScope: TransformScope

    public init(
        decode: DecodeOptions = DecodeOptions(), transforms: [any ImageTransformer] = [],
        transformScope: TransformScope = []
    ) {
        self.decode = decode
        self.transforms = transforms.flattened
        self.transformScope = transformScope
    }

    /// A canonical form that differs wherever the pixels may differ; empty for the original as it is.
    ///
    /// The parts are separated by a byte that is escaped inside them, so that no two lists read the same.
    public var identifier: String {
        guard !transforms.isEmpty else { return Self.escaped(decode.identifier) }
        let scope = transformScope.isEmpty ? [] : ["scope(\(transformScope.identifier))"]
        let parts = [decode.identifier] + transforms.map(\.identifier) + scope
        return parts.map(Self.escaped).joined(separator: "|")
    }

    /// Whether the transforms are applied to a picture that calls itself this.
    func transforms(_ info: ImageInfo) -> Bool {
        transformScope.admits(info, decode.frames)
    }

    private static func escaped(_ part: String) -> String {
        guard part.utf8.contains(where: { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: "\\") }) else { return part }
        return part.replacing("\\", with: "\\\\").replacing("|", with: "\\p")
    }
}

/// The kinds of pictures, beside still ones, that a request's transforms are applied to.
public struct TransformScope: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Pictures of several frames, unless only the first is decoded.
    public static let animated = TransformScope(rawValue: 1)
    /// Pictures without pixels of their own.
    public static let vector = TransformScope(rawValue: 2)
    public static let all: TransformScope = [.animated, .vector]

    /// Whether a picture that calls itself this, of which these frames are decoded, is transformed.
    func admits(_ info: ImageInfo, _ frames: DecodeOptions.Frames) -> Bool {
        let isAnimated = info.frameCount > 1 && frames != .first
        return (!isAnimated || contains(.animated)) && (!info.format.isVector || contains(.vector))
    }

    /// A canonical form; empty for still pictures alone.
    var identifier: String {
        let names = [(TransformScope.animated, "animated"), (.vector, "vector")]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: "+")
    }
}
