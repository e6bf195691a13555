/// Makes the frames of one animation as they are to be shown: composed, then transformed.
struct FrameMaker: Sendable {
    let source: ComposedFrames
    /// What is made of each composed frame, in order.
    let transforms: [any ImageTransformer]
    /// The size that every frame has to have, once the poster has shown it.
    private var frameSize: PixelSize?

    init(source: ComposedFrames, transforms: [any ImageTransformer]) {
        self.source = source
        self.transforms = transforms
    }

    func with(frameSize: PixelSize) -> FrameMaker {
        var maker = self
        maker.frameSize = frameSize
        return maker
    }

    /// Names the transforms: makers of the same source with the same one make the same frames.
    var identifier: String { transforms.map(\.identifier).joined(separator: "\u{1F}") }

    /// - Throws: as ``FrameDecoder/pixels(of:isCancelled:)`` and the transformers.
    func makeFrame(
        at index: Int, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        try applyTransforms(to: try source.composeFrame(at: index, isCancelled: isCancelled), isCancelled: isCancelled)
    }

    /// Makes a frame, and those on the way to it that are wanted.
    ///
    /// - Parameter take: given each frame, the target last.
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
        // A closure of the program may give what it likes.
        guard pixels.size == frameSize ?? pixels.size else {
            throw .transformFailed(
                "a transformer made a frame of \(pixels.size) pixels, but the first frame has \(frameSize ?? pixels.size)"
            )
        }
        return pixels
    }
}

/// Brings a whole frame to the part and size that were asked of its decoder.
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

/// Turns a picture upright that is stored with another orientation.
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
