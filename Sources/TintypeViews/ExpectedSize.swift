public import TintypeCore

/// The size of an image whose pixels are not available yet, as far as it is known.
///
/// A view reserves space of this shape, so that its surroundings do not move when the image is shown.
public struct ExpectedSize: Hashable, Sendable {
    /// The source of an expected size.
    public enum Basis: Hashable, Sendable {
        /// The program's hint, ``Presentation/expectedSize``.
        case hint
        /// The placeholder, which has the shape of the image. Only the ratio of its sides counts.
        case placeholder
        /// The header of the image, which has arrived before its pixels.
        case header
    }

    /// The size in pixels at which the image will be shown.
    public var size: PixelSize
    /// The size in pixels of the image, or of its part that is decoded, before it is scaled to ``size``. A view without
    /// a size of its own takes this one: ``size`` may depend on the layout.
    public var unscaled: PixelSize
    /// Where the size comes from.
    public var basis: Basis

    /// Creates an expected size.
    ///
    /// - Parameters:
    ///   - size: The size in pixels.
    ///   - basis: Where the size comes from.
    ///   - unscaled: By default `size`.
    package init(_ size: PixelSize, basis: Basis, unscaled: PixelSize? = nil) {
        self.size = size
        self.basis = basis
        self.unscaled = unscaled ?? size
    }

    /// The width divided by the height; 1 if a side is not positive.
    public var aspectRatio: Double {
        size.isPositive ? Double(size.width) / Double(size.height) : 1
    }
}

extension ExpectedSize {
    /// Creates the expected size at the start of a load: the hint, or else the shape of the placeholder. `nil` without
    /// both.
    init?(_ presentation: Presentation) {
        if let hint = presentation.expectedSize {
            self.init(hint, basis: .hint)
        } else if case .placeholder(let image) = presentation.whileLoading {
            self.init(image.size, basis: .placeholder)
        } else {
            return nil
        }
    }

    /// Creates the expected size of a rendition from the header of its image.
    ///
    /// - Returns: `nil` if the transforms may change the size in a way that cannot be computed from the header.
    init?(_ info: ImageInfo, as rendition: Rendition) {
        guard rendition.predictsSize || !rendition.appliesTransforms(to: info) else { return nil }
        let decode = rendition.decode
        let part = decode.crop.map { $0.clipped(to: info.size)?.size ?? info.size } ?? info.size
        self.init(decode.target(for: info), basis: .header, unscaled: part)
    }
}

extension Rendition {
    /// Whether the transforms leave the size of every image as it is.
    var predictsSize: Bool { transforms.allSatisfy(\.isPixelwise) }
}
