import Foundation
import TintypeCore

/// Shows a JPEG XL while it arrives: a still one coarse and then square by square, an animation frame by frame.
///
/// Used by one thread at a time: the lock is there to say so to the compiler, and is never waited for.
final class IncrementalJXLDecoder: IncrementalImageDecoder {
    private let context: DecodeContext
    private let state = Locked(State.head(Data()))

    private enum State: Sendable {
        /// The bytes so far, which end before the header does.
        case head(Data)
        case still(JXLPreviewReader)
        case animation(IncrementalAnimation)
    }

    init(_ context: DecodeContext) {
        self.context = context
    }

    func append(_ bytes: Data) throws(TintypeError) -> Image? {
        let context = context
        return try state.withLock { state throws(TintypeError) in
            var new = bytes
            if case .head(let head) = state {
                new = head + bytes
                state = try Self.begin(new, context)
            }
            switch state {
            case .head: return nil
            case .still(let reader): return try reader.append(new) ? try reader.preview() : nil
            case .animation(let animation): return try animation.append(new)
            }
        }
    }

    /// What is made of the first bytes.
    private static func begin(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> State {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: false, counting: .nothing, context.limits)
        }
        guard let header else { return .head(bytes) }
        guard !header.isAnimated else {
            return .animation(IncrementalAnimation(decoder: JXLDecoder(), context))
        }
        return .still(try JXLPreviewReader(header, context))
    }
}
