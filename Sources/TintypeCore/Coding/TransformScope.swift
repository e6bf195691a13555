/// A kind of images, besides still raster images, that a request's transforms apply to.
public enum TransformScope: String, Hashable, Sendable, CaseIterable {
    /// Images with several frames, unless only the first frame is decoded.
    case animated
    /// Vector images, which have no pixels of their own.
    case vector
}

extension Set<TransformScope> {
    /// All images.
    package static var all: Self { [.animated, .vector] }

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
        TransformScope.allCases.filter(contains).map(\.rawValue).joined(separator: "+")
    }
}
