import TintypeCore

/// The transforms that make a result from the decoded pixels, once their size is known.
struct RenderingSteps: Sendable {
    let options: ProcessingOptions
    private let format: ImageFormat
    private let isVector: Bool
    private let watermark: PixelBuffer?
    private let settings: RenderingSettings

    init(
        _ options: ProcessingOptions, format: ImageFormat, isVector: Bool, watermark: PixelBuffer?,
        settings: RenderingSettings
    ) {
        // The pixels are upright when the first of these transforms sees them.
        self.options = options
        (self.format, self.isVector, self.watermark, self.settings) = (format, isVector, watermark, settings)
    }

    /// Makes the plan for upright pixels of a size.
    func plan(for size: PixelSize) -> GeometryPlan {
        GeometryPlan(
            for: GeometryPlan.Source(size: size, isVector: isVector), options,
            maximumSide: settings.maximumResultSide, format: FormatLimits(of: format))
    }

    /// Returns the transforms of a plan, in the order of the options' documentation.
    func transforms(of plan: GeometryPlan) -> [any ImageTransformer] {
        var list = [plan.sourceCrop.map(Self.crop)].compactMap(\.self)
        list.append(ResizeTransformer(to: plan.storedScaledSize, mode: .stretch, isEnlarging: true))
        list += plan.orientation.uprightTransforms
        list += [plan.resultCrop.map(Self.crop)].compactMap(\.self)
        list += options.color.transforms + options.filters.transforms
        var size = plan.resultCrop?.size ?? plan.scaledSize
        for canvas in [plan.extend, plan.extendAspectRatio].compactMap(\.self) {
            list.append(PadTransformer(canvas.margins(around: size), color: background))
            size = canvas.size
        }
        let margins = PadTransformer.Margins(
            top: plan.padding.top, left: plan.padding.left, bottom: plan.padding.bottom, right: plan.padding.right)
        if margins != PadTransformer.Margins() { list.append(PadTransformer(margins, color: background)) }
        if let reduced = plan.reducedSize { list.append(ResizeTransformer(to: reduced, mode: .stretch)) }
        if let color = options.background ?? (format.hasAlpha ? nil : RGBColor(red: 255, green: 255, blue: 255)) {
            list.append(FlattenTransformer(on: color.color))
        }
        if let watermark, options.watermark.opacity > 0 {
            list.append(
                WatermarkTransformer(
                    watermark, options.watermark, pixelRatio: plan.pixelRatio, opacity: settings.watermarkOpacity))
        }
        return list
    }

    /// The colour around the image: that of the option, else transparent.
    private var background: Color { options.background?.color ?? .clear }

    private static func crop(_ area: CropArea) -> any ImageTransformer {
        switch area {
        case .rectangle(let rect): CropTransformer(to: rect)
        case .smart(let size): CropTransformer(to: size, gravity: .smart)
        }
    }
}

extension CropArea {
    /// The size of the part.
    var size: PixelSize {
        switch self {
        case .rectangle(let rect): rect.size
        case .smart(let size): size
        }
    }
}

extension CanvasPlacement {
    /// Returns the margins around an image of a size on this canvas.
    func margins(around image: PixelSize) -> PadTransformer.Margins {
        PadTransformer.Margins(
            top: y, left: x, bottom: size.height - y - image.height, right: size.width - x - image.width)
    }
}

extension RGBColor {
    /// The opaque colour.
    var color: Color { Color(red: red, green: green, blue: blue) }
}

extension ImageFormat {
    /// Whether images in this format can have transparent pixels.
    var hasAlpha: Bool { ![.jpeg, .bmp].contains(self) }
}

extension Orientation {
    /// The transforms that turn a stored image upright.
    var uprightTransforms: [any ImageTransformer] {
        switch self {
        case .up: []
        case .upMirrored: [FlipTransformer(horizontal: true)]
        case .down: [RotateTransformer(degrees: 180)]
        case .downMirrored: [FlipTransformer(vertical: true)]
        case .leftMirrored: [RotateTransformer(degrees: -90), FlipTransformer(horizontal: true)]
        case .right: [RotateTransformer(degrees: -90)]
        case .rightMirrored: [RotateTransformer(degrees: 90), FlipTransformer(horizontal: true)]
        case .left: [RotateTransformer(degrees: 90)]
        }
    }

    /// The transforms that turn an upright image back into the stored one.
    var storedTransforms: [any ImageTransformer] {
        switch self {
        case .right: Orientation.left.uprightTransforms
        case .left: Orientation.right.uprightTransforms
        // The others are their own inverses.
        default: uprightTransforms
        }
    }
}
