package import TintypeCore

/// The part of an image that a crop keeps.
package enum CropArea: Hashable, Sendable {
    /// A known part.
    case rectangle(PixelRect)
    /// The most interesting part of a size, which only the pixels tell.
    case smart(PixelSize)
}

/// A canvas on which an image is put.
package struct CanvasPlacement: Hashable, Sendable {
    /// The size of the canvas.
    package let size: PixelSize
    /// The column of the canvas in which the image begins.
    package let x: Int
    /// The row of the canvas in which the image begins.
    package let y: Int
}

/// The steps from the pixels of a source to those of the result, in the order of the properties.
///
/// A step that does nothing is `nil`. Filters are applied after ``resultCrop``, the watermark after ``reducedSize``.
package struct GeometryPlan: Hashable, Sendable {
    /// The part of the source that is decoded, in the coordinates of the stored pixels.
    package let sourceCrop: CropArea?
    /// The size of the scaled image, upright. Scaled before it is turned, it has ``storedScaledSize``.
    package let scaledSize: PixelSize
    /// How the scaled image is turned: its own orientation, then the options `rotate` and `flip`.
    package let orientation: Orientation
    /// The part of the upright scaled image that is kept.
    package let resultCrop: CropArea?
    /// The canvas of the requested size.
    package let extend: CanvasPlacement?
    /// The canvas of the requested aspect ratio.
    package let extendAspectRatio: CanvasPlacement?
    /// The columns and rows that are added around.
    package let padding: Padding
    /// The size to which the result is reduced, because its format cannot hold more.
    package let reducedSize: PixelSize?
    /// The size of the result.
    package let size: PixelSize
    /// The pixel ratio that was reached, the factor of the watermark's offsets.
    package let pixelRatio: Double

    /// The size of the scaled image before it is turned.
    package var storedScaledSize: PixelSize { orientation.displayed(scaledSize) }
}

// MARK: - Making a plan

extension GeometryPlan {
    /// What is known about a source before it is decoded.
    package struct Source: Hashable, Sendable {
        /// The size of the stored pixels; after the trim, if there is one.
        package var size: PixelSize
        /// The orientation in the metadata.
        package var orientation: Orientation
        /// Whether the image can be drawn at any size, so that enlarging it is no loss.
        package var isVector: Bool

        /// Creates a description of a source.
        package init(size: PixelSize, orientation: Orientation = .up, isVector: Bool = false) {
            self.size = size
            self.orientation = orientation
            self.isVector = isVector
        }
    }

    /// Makes the plan for a source.
    ///
    /// The border that the option `trim` removes is not known before the pixels are. So a caller that trims makes the
    /// plan afterwards, for what is left.
    ///
    /// - Parameters:
    ///   - maximumSide: The largest side of the result, canvas and padding included; 0 for no limit. The option
    ///     `max_result_dimension` takes precedence.
    ///   - format: What the format of the result can hold.
    package init(
        for source: Source, _ options: ProcessingOptions, maximumSide: Int = 0, format: FormatLimits = FormatLimits()
    ) {
        var turn = Turn(options.autoRotates ? source.orientation : .up)
        turn.rotate(degrees: options.rotation)
        turn.flip(options.flip)
        let orientation = turn.orientation
        self.orientation = orientation
        let stored = PixelSize(width: max(1, source.size.width), height: max(1, source.size.height))
        let upright = orientation.displayed(stored)

        let cropSize = Self.cropSize(options.crop, in: upright)
        sourceCrop = Self.crop(
            stored, to: orientation.displayed(cropSize), options.crop.gravity ?? options.gravity, beneath: turn,
            pixelRatio: 1)
        let scale = ResultScale(
            of: PixelSize(
                width: upright.width.limited(to: cropSize.width), height: upright.height.limited(to: cropSize.height)),
            options, isVector: source.isVector, maximumSide: options.limits.resultSide ?? maximumSide)
        scaledSize = scale.scaled
        pixelRatio = scale.pixelRatio
        resultCrop = Self.crop(
            scale.scaled, to: scale.crop, options.gravity, beneath: Turn(.up), pixelRatio: scale.pixelRatio)

        var size = scale.cropped
        extend = Self.canvas(options.extend, scale.target, around: &size, pixelRatio: scale.pixelRatio)
        extendAspectRatio = Self.canvas(
            options.extendAspectRatio, scale.aspectCanvas, around: &size, pixelRatio: scale.pixelRatio)
        padding = scale.padding
        size.width += padding.left + padding.right
        size.height += padding.top + padding.bottom
        reducedSize = format.reduced(size)
        self.size = reducedSize ?? size
    }

    /// Returns the size of a crop in pixels, where 0 is the whole side.
    private static func cropSize(_ crop: CropOption, in size: PixelSize) -> PixelSize {
        func side(_ length: Double, of whole: Int) -> Int {
            if length == 0 { return 0 }
            return length >= 1 ? Int(min(length, 1e12)) : max(1, whole.scaled(by: length))
        }
        return PixelSize(width: side(crop.width, of: size.width), height: side(crop.height, of: size.height))
    }

    /// Returns a part of an image that a turn makes upright, in the coordinates of the stored pixels.
    private static func crop(
        _ image: PixelSize, to size: PixelSize, _ gravity: GravityOption, beneath turn: Turn, pixelRatio: Double
    ) -> CropArea? {
        let part = PixelSize(
            width: image.width.limited(to: size.width), height: image.height.limited(to: size.height))
        if part == image { return nil }
        if gravity.placement == .smart { return .smart(part) }
        let (x, y) = gravity.axes.stored(beneath: turn).position(of: part, in: image, pixelRatio: pixelRatio)
        return .rectangle(PixelRect(x: x, y: y, size: part))
    }

    private static func canvas(
        _ option: CanvasOption, _ canvas: PixelSize, around image: inout PixelSize, pixelRatio: Double
    ) -> CanvasPlacement? {
        guard option.isEnabled, canvas.width > image.width || canvas.height > image.height else { return nil }
        let size = PixelSize(width: max(canvas.width, image.width), height: max(canvas.height, image.height))
        let (x, y) = option.gravity.position(of: image, in: size, pixelRatio: pixelRatio)
        image = size
        return CanvasPlacement(size: size, x: x, y: y)
    }
}
