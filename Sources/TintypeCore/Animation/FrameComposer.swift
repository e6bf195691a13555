/// Composes the frames of one animation in any order, going on from the last one where that is shortest.
///
/// `@unchecked Sendable` because ``ComposedFrames`` takes it out of its lock for as long as a thread uses it, so one
/// thread at a time does.
final class FrameComposer: @unchecked Sendable {
    private var decoder: any FrameDecoder
    private var plan: ReplayPlan
    /// Which of the animation's decoders it has.
    private(set) var version: Int
    private var canvas: Canvas
    /// The frame that the canvas shows, not yet disposed of.
    private var shownFrame: Int?

    /// - Throws: ``TintypeError/Code/outOfMemory``.
    init(_ decoder: any FrameDecoder, plan: ReplayPlan, version: Int) throws(TintypeError) {
        self.decoder = decoder
        self.plan = plan
        self.version = version
        canvas = Canvas(size: decoder.canvasSize)
    }

    /// Told of each frame that is painted on the way to another, with a way to have its picture.
    typealias IntermediateFrameHandler = (_ index: Int, _ snapshot: () throws(TintypeError) -> PixelBuffer)
        throws(TintypeError) -> Void

    /// The whole canvas as it is shown while a frame's turn lasts.
    ///
    /// The cost is that of the frames since the nearest key frame, or since the last one that was asked for.
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

    /// Goes on with a decoder that knows more frames of the same animation; what is painted stays.
    func update(_ decoder: any FrameDecoder, plan: ReplayPlan, version: Int) {
        (self.decoder, self.plan, self.version) = (decoder, plan, version)
    }

    private func reset() {
        canvas.clear()
        shownFrame = nil
    }

    private func advance(to index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) {
        let pixels = try decoder.pixels(of: index, isCancelled: isCancelled)
        try disposeOfShownFrame()
        try canvas.paint(decoder.frames[index], pixels)
        shownFrame = index
    }

    /// A frame that leaves no trace is painted on a copy, so that the canvas is ready for the next one.
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

/// Which frames have to be painted before each frame of an animation can be shown: as few as can be.
///
/// A frame that is undone (``AnimationFrame/Disposal/previous``) is under no other, so it is never painted for another's
/// sake. A key frame is painted on a clear canvas: the first, one that hides what is under it, and one before which the
/// canvas was cleared.
struct ReplayPlan: Sendable {
    /// For each frame the one that the canvas shows, and that is disposed of, before it is painted; `nil` for key
    /// frames.
    let bases: [Int?]

    /// O(number of frames).
    init(_ frames: [AnimationFrame], canvas: PixelSize) {
        var bases: [Int?] = []
        bases.reserveCapacity(frames.count)
        var (last, isClear) = (Int?.none, true)
        for (index, frame) in frames.enumerated() {
            bases.append(isClear || frame.hides(canvas) ? nil : last)
            switch frame.disposal {
            case .previous: continue
            case .background: isClear = isClear || frame.covers(canvas)
            case .keep: isClear = false
            }
            last = index
        }
        self.bases = bases
    }

    /// The frames to paint, in order, to show `target` on a canvas that shows the frame `shown`.
    ///
    /// - Returns: the frames, and whether the canvas has to be cleared before them.
    func path(to target: Int, from shown: Int?) -> (frames: [Int], startsClear: Bool) {
        var path = [target]
        var next = bases[target]
        while let base = next, base != shown {
            path.append(base)
            next = bases[base]
        }
        return (path.reversed(), next == nil)
    }
}
