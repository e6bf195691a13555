/// How much memory the decoded frames of an animation may take. The frame that is shown is always held beside it, and all
/// animations together keep to the limit of ``FrameMemory``.
public enum FrameBudget: Hashable, Sendable {
    /// 64 MB, or less on a small machine: at most a fifth of its memory and three fifths of what is free.
    case automatic
    /// One frame: every frame is decoded when its time comes.
    case oneFrame
    case bytes(Int)

    /// - Parameters:
    ///   - frame: bytes of one frame.
    ///   - free: bytes of memory that are free.
    ///   - total: bytes of memory that the machine, or the process's part of it, has.
    func byteCount(frame: Int, free: Int, total: Int) -> Int {
        switch self {
        case .automatic: max(frame, min(64 << 20, total / 5, free / 5 * 3))
        case .oneFrame: frame
        case .bytes(let count): max(frame, count)
        }
    }
}
