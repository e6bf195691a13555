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
