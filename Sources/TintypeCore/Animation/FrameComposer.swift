/// Composes the frames of one animation in any order, going on from the last one where that is shortest.
///
/// `@unchecked Sendable` because ``ComposedFrames`` takes it out of its lock for as long as a thread uses it, so one
/// thread at a time does.
final class FrameComposer: @unchecked Sendable {
    private let decoder: any FrameDecoder
    private let plan: ReplayPlan
    private var canvas: Canvas
    /// The frame that the canvas shows, not yet disposed of.
    private var shown: Int?

    /// - Throws: ``TintypeError/Code/outOfMemory``.
    init(_ decoder: any FrameDecoder, _ plan: ReplayPlan) throws(TintypeError) {
        self.decoder = decoder
        self.plan = plan
        canvas = try Canvas(size: decoder.canvasSize)
    }

    /// The whole canvas as it is shown while a frame's turn lasts.
    ///
    /// The cost is that of the frames since the nearest key frame, or since the last one that was asked for.
    func composed(
        _ target: Int, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        if shown == target { return try canvas.picture() }
        let isUndone = decoder.frames[target].disposal == .previous
        if isUndone && plan.bases[target] == nil {
            return try painted(target, on: Canvas(size: decoder.canvasSize), isCancelled)
        }
        let (path, startsClear) = plan.path(to: target, from: shown)
        if startsClear { reset() }
        for index in isUndone ? path.dropLast() : path[...] { try advance(to: index, isCancelled) }
        return isUndone ? try undone(target, isCancelled) : try canvas.picture()
    }

    private func reset() {
        canvas.clear()
        shown = nil
    }

    private func advance(to index: Int, _ isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) {
        let pixels = try decoder.pixels(of: index, isCancelled: isCancelled)
        disposeOfShown()
        canvas.paint(decoder.frames[index], pixels)
        shown = index
    }

    /// A frame that leaves no trace is painted on a copy, so that the canvas is ready for the next one.
    private func undone(
        _ index: Int, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        var copy = try canvas.copy()
        if let shown { copy.dispose(of: decoder.frames[shown]) }
        return try painted(index, on: copy, isCancelled)
    }

    private func painted(
        _ index: Int, on canvas: consuming Canvas, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        let pixels = try decoder.pixels(of: index, isCancelled: isCancelled)
        canvas.paint(decoder.frames[index], pixels)
        return canvas.finished()
    }

    private func disposeOfShown() {
        if let shown { canvas.dispose(of: decoder.frames[shown]) }
    }
}
