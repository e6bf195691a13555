import TintypeCore

/// What the pipeline does with the bytes of a source to make a rendition: how it decodes them, and the transforms.
struct RenderingPlan: Sendable {
    /// The format of the result.
    let format: ImageFormat
    /// How the source is decoded, and the transforms in order.
    let rendition: Rendition
    /// The number of frames of the result: the first ones of the source.
    let frameCount: Int
    /// The size of the result; `nil` if only the pixels tell, because a border is removed.
    let size: PixelSize?

    /// Makes the plan for a source.
    ///
    /// - Parameters:
    ///   - info: The header of the source.
    ///   - watermark: The pixels of the watermark, upright.
    ///   - settings: The limits and defaults of the operator.
    init(
        for info: ImageInfo, _ options: ProcessingOptions, format: ImageFormat, watermark: PixelBuffer? = nil,
        settings: RenderingSettings
    ) {
        self.format = format
        let frameLimit = options.limits.frames ?? settings.maximumFrames
        frameCount = settings.animatedFormats.contains(format) ? max(1, min(info.frameCount, frameLimit)) : 1
        let isAnimated = frameCount > 1
        let steps = RenderingSteps(
            options, format: format, isVector: info.drawing != nil, watermark: watermark, settings: settings)
        var decode = DecodeOptions(frames: isAnimated ? .all : .first)
        if options.output.preservesHDR, info.isHighRange, !isAnimated { decode.range = .high }
        decode.keepsMetadata = options.output.keepsCopyright || !options.output.metadata.isEmpty
        if options.output.enforcesThumbnail { decode.embeddedThumbnail = .whereLargeEnough }
        // Decoders apply the orientation of the metadata.
        let undo = options.autoRotates ? [] : info.orientation.storedTransforms
        guard options.trim.threshold == nil else {
            rendition = Rendition(
                decode: decode, transforms: undo + [TrimmedRendering(steps: steps)], transformScope: .all)
            size = nil
            return
        }
        let source = options.autoRotates ? info.size : info.storedSize
        let plan = steps.plan(for: source)
        rendition = Rendition(decode: decode, transforms: undo + steps.transforms(of: plan), transformScope: .all)
        size = plan.size
    }
}

/// What the operator decides about every rendition.
struct RenderingSettings: Sendable {
    /// The longest side of a result in pixels; 0 for no limit.
    var maximumResultSide = 8192
    /// The opacity of watermarks, by which that of the URL is multiplied, from 0 to 1.
    var watermarkOpacity = 1.0
    /// The largest number of frames of a result.
    var maximumFrames = 1
    /// The formats that are written with all frames of an animation.
    var animatedFormats = ImageFormat.animated
    /// Whether JPEG is written progressively.
    var isProgressive = true

    /// Creates the default settings.
    init() {}
}

extension OutputOptions {
    /// The kinds of metadata that are written whole.
    var metadata: Set<MetadataKind> {
        var kinds: Set<MetadataKind> = stripsMetadata ? [] : [.exif, .xmp, .iptc]
        if !stripsColorProfile { kinds.insert(.icc) }
        return kinds
    }
}
