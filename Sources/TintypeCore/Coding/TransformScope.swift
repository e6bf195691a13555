/// The kinds of images, besides still raster images, that a request's transforms apply to.
public struct TransformScope: OptionSet, Hashable, Sendable {
    /// The bits of the set, one for each kind.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Images with several frames, unless only the first frame is decoded.
    public static let animated = TransformScope(rawValue: 1)
    /// Vector images, which have no pixels of their own.
    public static let vector = TransformScope(rawValue: 2)
    /// All images.
    public static let all: TransformScope = [.animated, .vector]

    /// Returns whether the transforms apply to an image.
    ///
    /// - Parameters:
    ///   - info: The information in the header of the image.
    ///   - frames: The frames that are decoded.
    func admits(_ info: ImageInfo, frames: DecodeOptions.Frames) -> Bool {
        let isAnimated = info.frameCount > 1 && frames != .first
        return (!isAnimated || contains(.animated)) && (!info.format.isVector || contains(.vector))
    }

    /// A canonical form; empty for still raster images only.
    var identifier: String {
        let names = [(TransformScope.animated, "animated"), (.vector, "vector")]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: "+")
    }
}
