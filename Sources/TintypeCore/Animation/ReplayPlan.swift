/// The minimal list of frames to paint before each frame of an animation can be shown.
///
/// A frame with ``AnimationFrame/Disposal/previous`` is below no other frame, so it is painted only to be shown itself.
/// A key frame is painted on a clear canvas: the first frame, a frame that hides everything below it, and a frame
/// before which the canvas was cleared.
struct ReplayPlan: Sendable {
    /// For each frame, the previous frame on the canvas, which is disposed of before this one is painted; `nil` for key
    /// frames.
    let bases: [Int?]

    /// Computes the plan. O(number of frames).
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

    /// Returns the frames to paint, in order, to show `target` on a canvas that shows frame `shown`, and whether the
    /// canvas must be cleared before them.
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
