import CTintypePNG
import Foundation
import TintypeCore

/// Shows a PNG while it arrives: a still one row by row or pass by pass, an animation frame by frame.
///
/// Used by one thread at a time: the lock is there to say so to the compiler, and is never waited for.
final class IncrementalPNGDecoder: IncrementalImageDecoder {
    private let context: DecodeContext
    private let state = Locked(State.head(Data()))

    private enum State: Sendable {
        /// The bytes so far, which end before the pixels begin.
        case head(Data)
        case still(PNGPreviewReader)
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
        let reader = try PNGReader(context)
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try reader.open(raw, isComplete: false) }
        guard let header else { return .head(bytes) }
        let info = ImageInfo(header)
        try context.limits.check(info)
        guard header.frame_count > 1 else {
            let converter = try PNGDecoder.converter(bytes, header, context.limits)
            return .still(try PNGPreviewReader(header, info, converter, context))
        }
        return .animation(IncrementalAnimation(decoder: PNGDecoder(), context))
    }
}
