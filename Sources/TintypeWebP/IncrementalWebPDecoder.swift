import CTintypeWebP
import Foundation
import TintypeColor
import TintypeCore

/// Shows a WebP while it arrives: a still one row by row, an animation frame by frame.
///
/// Used by one thread at a time: the lock is there to say so to the compiler, and is never waited for.
final class IncrementalWebPDecoder: IncrementalImageDecoder {
    private let context: DecodeContext
    private let state = Locked(State.head(Data()))

    private enum State: Sendable {
        /// The bytes so far, which end before the header does.
        case head(Data)
        case still(WebPPreviewReader)
        case animation(IncrementalAnimation)
        /// Nothing is shown before the end.
        case nothing
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
            case .head, .nothing: return nil
            case .still(let reader): return try reader.append(new) ? try reader.preview() : nil
            case .animation(let animation): return try animation.append(new)
            }
        }
    }

    /// What is made of the first bytes.
    private static func begin(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> State {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try tintype_webp_header(raw) }
        guard let header else { return .head(bytes) }
        if header.is_animated { return .animation(IncrementalAnimation(decoder: WebPDecoder(), context)) }
        // Which way is up is told after the pixels: better nothing than a picture that lies on its side.
        guard !header.has_exif else { return .nothing }
        let info = ImageInfo(header)
        try context.limits.check(info)
        guard let colors = try WebPDecoder.arrivedColors(bytes, context.limits) else {
            // One that never comes is waited for as long as one that may come.
            return bytes.count <= context.limits.profileBytes ? .head(bytes) : .nothing
        }
        return .still(try WebPPreviewReader(info, ColorConverter(colors, .rgb), context))
    }
}
