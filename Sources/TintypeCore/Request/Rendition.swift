/// The pixels to make of the bytes: how to decode them, and the transforms to apply, in order. All of it is in the
/// cache key.
public struct Rendition: Sendable {
    /// How to decode the bytes, before any transform.
    public var decode: DecodeOptions
    /// The transforms in the order of application. A ``TransformerChain`` is replaced by its transformers.
    public var transforms: [any ImageTransformer] {
        didSet { transforms = transforms.flattened }
    }
    /// The kinds of images, besides still raster images, that the transforms apply to. As in SDWebImage, none by
    /// default.
    public var transformScope: Set<TransformScope>

    /// Creates a rendition; by default the original image.
    public init(
        decode: DecodeOptions = DecodeOptions(), transforms: [any ImageTransformer] = [],
        transformScope: Set<TransformScope> = []
    ) {
        self.decode = decode
        self.transforms = transforms.flattened
        self.transformScope = transformScope
    }

    /// A canonical form that differs whenever the pixels may differ; empty for the original.
    ///
    /// The separator is escaped inside the parts, so that different lists have different forms. The form is stored on
    /// disk as a part of cache keys.
    public var identifier: String {
        guard !transforms.isEmpty else { return Self.escaped(decode.identifier) }
        let scope = transformScope.isEmpty ? [] : ["scope(\(transformScope.identifier))"]
        let parts = [decode.identifier] + transforms.map(\.identifier) + scope
        return parts.map(Self.escaped).joined(separator: "|")
    }

    /// Returns whether the transforms apply to an image with this information.
    package func appliesTransforms(to info: ImageInfo) -> Bool {
        transformScope.admits(info, frames: decode.frames)
    }

    private static func escaped(_ part: String) -> String {
        guard part.utf8.contains(where: { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: "\\") }) else { return part }
        return part.replacing("\\", with: "\\\\").replacing("|", with: "\\p")
    }
}
