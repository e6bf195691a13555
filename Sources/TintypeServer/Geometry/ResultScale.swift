import TintypeCore

/// The factors from the cropped source to the scaled image, and the sizes that follow from them.
///
/// The order of the steps and their rounding are imgproxy's, so that the same URL has the same size.
struct ResultScale: Hashable, Sendable {
    /// The factor of the width.
    private(set) var x = 1.0
    /// The factor of the height.
    private(set) var y = 1.0
    /// The pixel ratio, reduced if the source has too few pixels for it.
    private(set) var pixelRatio = 1.0

    /// The size that was asked for; a side is 0 if it was not.
    private(set) var target = PixelSize(width: 0, height: 0)
    /// The size of the scaled image.
    private(set) var scaled = PixelSize(width: 0, height: 0)
    /// The size to which the scaled image is cut; a side is 0 if it is not.
    private(set) var crop = PixelSize(width: 0, height: 0)
    /// The size of the canvas with the requested aspect ratio; a side is 0 if there is none.
    private(set) var aspectCanvas = PixelSize(width: 0, height: 0)

    private let options: ProcessingOptions
    private let source: PixelSize

    /// Computes the factors for an upright source, after its crop.
    ///
    /// - Parameters:
    ///   - maximumSide: The largest side of the result, canvas and padding included; 0 for no limit.
    init(of source: PixelSize, _ options: ProcessingOptions, isVector: Bool, maximumSide: Int) {
        self.options = options
        self.source = source
        setFactors(isVector: isVector)
        setSizes()
        if maximumSide > 0 { limit(to: maximumSide) }
    }

    /// The size of the scaled image after the crop.
    var cropped: PixelSize {
        PixelSize(width: scaled.width.limited(to: crop.width), height: scaled.height.limited(to: crop.height))
    }

    /// The padding in pixels of the result.
    var padding: Padding {
        let padding = options.padding
        return Padding(
            top: padding.top.scaledToEven(by: pixelRatio), right: padding.right.scaledToEven(by: pixelRatio),
            bottom: padding.bottom.scaledToEven(by: pixelRatio), left: padding.left.scaledToEven(by: pixelRatio))
    }
}

// MARK: - Factors

extension ResultScale {
    private mutating func setFactors(isVector: Bool) {
        let (width, height) = (Double(source.width), Double(source.height))
        var (shrinkX, shrinkY) = requestedShrink
        shrinkX /= options.zoom.x
        shrinkY /= options.zoom.y
        pixelRatio = options.pixelRatio
        if !options.enlarges, !isVector {
            let smaller = min(shrinkX, shrinkY)
            if smaller < 1 {
                shrinkX /= smaller
                shrinkY /= smaller
                // A ratio below 1 would take the result even farther from a size that it cannot reach. With a canvas,
                // the composition must be the same for every ratio.
                if !options.extend.isEnabled { pixelRatio /= smaller }
            }
            pixelRatio = min(pixelRatio, shrinkX, shrinkY)
        }
        Self.reach(options.minimumWidth, width, &shrinkX, along: &shrinkY)
        Self.reach(options.minimumHeight, height, &shrinkY, along: &shrinkX)
        // A side has at least one pixel.
        x = 1 / min(shrinkX / pixelRatio, width)
        y = 1 / min(shrinkY / pixelRatio, height)
    }

    /// The quotients of the source and the requested size, by the resizing type.
    private var requestedShrink: (x: Double, y: Double) {
        let (hasWidth, hasHeight) = (options.width > 0, options.height > 0)
        let x = hasWidth ? Double(source.width) / Double(options.width) : 1
        let y = hasHeight ? Double(source.height) / Double(options.height) : 1
        if x == 1, y == 1 { return (1, 1) }
        let type = effectiveType
        if !hasWidth, type != .force { return (y, y) }
        if !hasHeight, type != .force { return (x, x) }
        switch type {
        case .fit: return (max(x, y), max(x, y))
        case .fill, .fillDown: return (min(x, y), min(x, y))
        case .force, .auto: return (x, y)
        }
    }

    /// The resizing type; `auto` is replaced by the one that it stands for.
    private var effectiveType: ResizingType {
        guard options.resizingType == .auto else { return options.resizingType }
        let isLandscape = source.width >= source.height
        let width = options.width > 0 ? options.width : source.width
        let height = options.height > 0 ? options.height : source.height
        return isLandscape == (width >= height) ? .fill : .fit
    }

    /// Reduces both quotients until a side has a minimum length.
    private static func reach(_ minimum: Int, _ length: Double, _ shrink: inout Double, along other: inout Double) {
        guard minimum > 0, length / Double(minimum) < shrink else { return }
        other /= shrink / (length / Double(minimum))
        shrink = length / Double(minimum)
    }
}

// MARK: - Sizes

extension ResultScale {
    private mutating func setSizes() {
        // A side that was asked for is never 0, unlike in imgproxy: that would mean that it was not.
        target = PixelSize(
            width: options.width == 0 ? 0 : max(1, options.width.scaled(by: pixelRatio * options.zoom.x)),
            height: options.height == 0 ? 0 : max(1, options.height.scaled(by: pixelRatio * options.zoom.y)))
        scaled = PixelSize(width: max(1, source.width.scaled(by: x)), height: max(1, source.height.scaled(by: y)))
        let isDown = options.resizingType == .fillDown && !options.enlarges
        crop = isDown ? aspect(of: target, inside: scaled) ?? target : target
        aspectCanvas = PixelSize(width: 0, height: 0)
        if options.extendAspectRatio.isEnabled, target.isPositive { setAspectCanvas() }
    }

    /// Returns the size with the aspect ratio of `target` that fits into an image; `nil` if `target` fits. Unlike in
    /// imgproxy, an extreme ratio does not round a side to 0, which would mean the whole side.
    private func aspect(of target: PixelSize, inside image: PixelSize) -> PixelSize? {
        let x = Double(target.width) / Double(image.width)
        let y = Double(target.height) / Double(image.height)
        if x > y, x > 1 {
            let height = image.width.scaled(by: Double(target.height) / Double(target.width))
            return PixelSize(width: image.width, height: target.height == 0 ? 0 : max(1, height))
        }
        if y > x, y > 1 {
            let width = image.height.scaled(by: Double(target.width) / Double(target.height))
            return PixelSize(width: target.width == 0 ? 0 : max(1, width), height: image.height)
        }
        return nil
    }

    private mutating func setAspectCanvas() {
        let image = cropped
        let x = Double(target.width) / Double(image.width)
        let y = Double(target.height) / Double(image.height)
        if y > x {
            let height = image.width.scaled(by: Double(target.height) / Double(target.width))
            aspectCanvas = PixelSize(width: image.width, height: height)
        } else if x > y {
            let width = image.height.scaled(by: Double(target.width) / Double(target.height))
            aspectCanvas = PixelSize(width: width, height: image.height)
        }
    }

    /// Reduces the factors so that the result, with canvas and padding, has no side above a limit.
    private mutating func limit(to maximumSide: Int) {
        var size = cropped
        let canvas =
            options.extend.isEnabled ? target : options.extendAspectRatio.isEnabled ? aspectCanvas : size
        size = PixelSize(width: max(size.width, canvas.width), height: max(size.height, canvas.height))
        let longest = max(
            size.width + padding.left + padding.right, size.height + padding.top + padding.bottom)
        guard longest > maximumSide else { return }
        let factor = Double(maximumSide) / Double(longest)
        x = max(x * factor, 1 / Double(source.width))
        y = max(y * factor, 1 / Double(source.height))
        pixelRatio *= factor
        setSizes()
        // Half a pixel of a side becomes several of the other one if the aspect ratio is extreme.
        let room = PixelSize(
            width: max(1, maximumSide - padding.left - padding.right),
            height: max(1, maximumSide - padding.top - padding.bottom))
        crop = crop.clamped(to: room)
        let image = cropped
        aspectCanvas.width = min(aspectCanvas.width, max(image.width, room.width))
        aspectCanvas.height = min(aspectCanvas.height, max(image.height, room.height))
    }
}
