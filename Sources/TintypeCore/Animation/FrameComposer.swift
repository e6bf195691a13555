/// Composes the frames of one animation in any order, continuing from the last one where that is shortest.
///
/// `@unchecked Sendable` because ``ComposedFrames`` takes the composer out of its lock while a thread uses it, so only
/// one thread uses it at a time.
final class FrameComposer: @unchecked Sendable {
    private(set) var decoder: any FrameDecoder
    private var plan: ReplayPlan
    /// The version of the decoder, counted by ``ComposedFrames``.
    private(set) var version: Int
    private var canvas: Canvas
    /// The frame that the canvas shows, not yet disposed of.
    private var shownFrame: Int?

    /// Creates a composer with a clear canvas.
    init(_ decoder: any FrameDecoder, plan: ReplayPlan, version: Int) throws(TintypeError) {
        self.decoder = decoder
        self.plan = plan
        self.version = version
        canvas = Canvas(size: decoder.canvasSize)
    }

    /// Called for each frame that is painted on the way to another, with a closure that returns the composed frame.
    typealias IntermediateFrameHandler = (_ index: Int, _ snapshot: () throws(TintypeError) -> PixelBuffer)
        throws(TintypeError) -> Void

    /// Returns the whole canvas as it is shown during frame `target`.
    ///
    /// Decodes the frames since the nearest key frame, or since the last frame composed if that is nearer.
    func composeFrame(
        at target: Int, isCancelled: @escaping @Sendable () -> Bool, onIntermediateFrame: IntermediateFrameHandler
    ) throws(TintypeError) -> PixelBuffer {
        if shownFrame == target { return try canvas.snapshot() }
        let leavesNoTrace = decoder.frames[target].disposal == .previous
        if leavesNoTrace && plan.bases[target] == nil {
            return try paint(target, on: Canvas(size: decoder.canvasSize), isCancelled: isCancelled)
        }
        let (path, startsClear) = plan.path(to: target, from: shownFrame)
        if startsClear { reset() }
        for index in leavesNoTrace ? path.dropLast() : path[...] {
            try advance(to: index, isCancelled: isCancelled)
            if index != target { try onIntermediateFrame(index) { () throws(TintypeError) in try canvas.snapshot() } }
        }
        return leavesNoTrace ? try composeOnCopy(target, isCancelled: isCancelled) : try canvas.snapshot()
    }

    /// Replaces the decoder with one that knows more frames of the same animation. The canvas stays.
    func update(_ decoder: any FrameDecoder, plan: ReplayPlan, version: Int) {
        (self.decoder, self.plan, self.version) = (decoder, plan, version)
    }

    private func reset() {
        canvas.clear()
        shownFrame = nil
    }

    /// Decodes a frame, disposes of the shown frame and paints the new one.
    private func advance(to index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) {
        let pixels = try decoder.pixels(of: index, isCancelled: isCancelled)
        try disposeOfShownFrame()
        try canvas.paint(decoder.frames[index], pixels)
        shownFrame = index
    }

    /// Paints a frame on a copy of the canvas, for a frame that leaves no trace on the canvas itself.
    private func composeOnCopy(
        _ index: Int, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        var copy = try canvas.copy()
        if let shownFrame { try copy.dispose(of: decoder.frames[shownFrame]) }
        return try paint(index, on: copy, isCancelled: isCancelled)
    }

    private func paint(
        _ index: Int, on canvas: consuming Canvas, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        let pixels = try decoder.pixels(of: index, isCancelled: isCancelled)
        try canvas.paint(decoder.frames[index], pixels)
        return try canvas.snapshot()
    }

    private func disposeOfShownFrame() throws(TintypeError) {
        if let shownFrame { try canvas.dispose(of: decoder.frames[shownFrame]) }
    }
}
