/// The newest frame of each region that has not been written yet.
///
/// A new frame replaces the former one of its region and keeps its place in the queue, so that no region starves.
struct FrameQueue<Frame: Sendable>: Sendable {
    struct Entry: Sendable {
        let region: Int
        var frame: Frame
        var kind: FrameKind
    }

    private var entries: [Entry] = []

    /// The kind of the most important waiting frame; `nil` if none waits.
    var kind: FrameKind? {
        entries.isEmpty ? nil : entries.contains { $0.kind == .content } ? .content : .animation
    }

    mutating func add(_ frame: Frame, region: Int, kind: FrameKind) {
        guard let index = entries.firstIndex(where: { $0.region == region }) else {
            return entries.append(Entry(region: region, frame: frame, kind: kind))
        }
        entries[index].frame = frame
        // Content that was replaced was never shown, so its successor must be.
        if kind == .content { entries[index].kind = .content }
    }

    /// Removes and returns the oldest frame of a kind; of any kind if `kind` is an animation.
    mutating func removeFirst(_ kind: FrameKind) -> Entry? {
        let index = entries.firstIndex { kind == .animation || $0.kind == .content }
        return index.map { entries.remove(at: $0) }
    }

    /// Whether a frame of a region waits.
    func contains(_ region: Int) -> Bool { entries.contains { $0.region == region } }

    /// Removes the frames of a region.
    mutating func removeAll(of region: Int) {
        entries.removeAll { $0.region == region }
    }

    mutating func removeAll() {
        entries = []
    }
}
