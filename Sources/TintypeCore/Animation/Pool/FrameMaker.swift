/// Makes the frames of one animation as they are shown: composed, then transformed.
struct FrameMaker: Sendable {
    let source: ComposedFrames
    /// The transformers applied to each composed frame, in order.
    let transforms: [any ImageTransformer]
    /// The size that every frame must have; `nil` until the poster is made.
    private var frameSize: PixelSize?

    init(source: ComposedFrames, transforms: [any ImageTransformer]) {
        self.source = source
        self.transforms = transforms
    }

    /// Returns a maker that requires every frame to have this size.
    func with(frameSize: PixelSize) -> FrameMaker {
        var maker = self
        maker.frameSize = frameSize
        return maker
    }

    /// The identifiers of the transforms. Makers of the same source with equal identifiers make equal frames.
    var identifier: String { transforms.map(\.identifier).joined(separator: "\u{1F}") }

    /// Returns one frame.
    ///
    /// - Throws: The errors of ``FrameDecoder/pixels(of:isCancelled:)`` and of the transformers.
    func makeFrame(
        at index: Int, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        try applyTransforms(to: try source.composeFrame(at: index, isCancelled: isCancelled), isCancelled: isCancelled)
    }

    /// Makes a frame, and those frames on the way to it that are worth making.
    ///
    /// - Parameters:
    ///   - target: The frame to make.
    ///   - isCancelled: Checked periodically.
    ///   - isWorthMaking: Whether to make a frame on the way.
    ///   - onFrame: Called with each frame made, the target last.
    /// - Throws: The errors of ``FrameDecoder/pixels(of:isCancelled:)`` and of the transformers.
    func makeFrames(
        through target: Int, isCancelled: @escaping @Sendable () -> Bool, isWorthMaking: (Int) -> Bool,
        onFrame: (Int, PixelBuffer) -> Void
    ) throws(TintypeError) {
        let composed = try source.composeFrame(at: target, isCancelled: isCancelled) {
            index, snapshot throws(TintypeError) in
            if isWorthMaking(index) {
                onFrame(index, try applyTransforms(to: try snapshot(), isCancelled: isCancelled))
            }
        }
        onFrame(target, try applyTransforms(to: composed, isCancelled: isCancelled))
    }

    private func applyTransforms(
        to pixels: PixelBuffer, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        let pixels = try TransformContext(isCancelled: isCancelled).run { () throws(TintypeError) in
            try TransformerChain(transforms).transform(pixels)
        }
        // A custom transformer may return any size.
        guard pixels.size == frameSize ?? pixels.size else {
            throw .transformFailed(
                "a transformer made a frame of \(pixels.size) pixels, but the first frame has \(frameSize ?? pixels.size)"
            )
        }
        return pixels
    }
}

/// Crops and resamples a composed frame to the part and size requested from the decoder.
struct DecodeTargetTransformer: ImageTransformer {
    let target: DecodeTarget

    init(_ target: DecodeTarget) {
        self.target = target
    }

    var identifier: String {
        "target(\(target.part.x),\(target.part.y),\(target.part.size),\(target.size))"
    }

    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        try pixels.resampled(crop: target.part, to: target.size, filter: .lanczos3)
    }
}

/// Turns a frame that is stored in another orientation upright.
struct OrientationTransformer: ImageTransformer {
    let orientation: Orientation

    init(_ orientation: Orientation) {
        self.orientation = orientation
    }

    var identifier: String { "orient(\(orientation.rawValue))" }

    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        try pixels.oriented(orientation)
    }
}
