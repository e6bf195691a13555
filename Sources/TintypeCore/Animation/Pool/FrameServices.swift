/// What frames are held in and decoded on.
struct FrameServices: Sendable {
    var memory = FrameMemory.shared
    var line: any WaitingLine = WorkQueue.pixels
    /// For each frame that is asked for.
    var time = DecodeTime()
}
