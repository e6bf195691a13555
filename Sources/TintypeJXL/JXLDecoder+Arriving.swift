public import Foundation
public import TintypeCore

/// Frames of an animation are shown when the next one has begun, so the last one comes with the whole; a still picture is
/// shown as soon as libjxl has all of it at an eighth of its size, and then where it has more.
extension JXLDecoder: ProgressiveAnimationDecoder {
    public func makeIncrementalDecoder(_ context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalPicture { (head) throws(TintypeError) in try Self.kind(of: head, context) }
    }

    private static func kind(
        of head: Data, _ context: DecodeContext
    ) throws(TintypeError) -> IncrementalPicture.Kind {
        let header = try head.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: false, counting: .nothing, context.limits)
        }
        guard let header else { return .unknown }
        guard !header.isAnimated else {
            return .animation(IncrementalAnimation(decoder: JXLDecoder(), context))
        }
        return .still(try JXLPreviewReader(header, context))
    }

    public func arrivedFrames(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: false, counting: .arrived, context.limits)
        }
        guard let header, header.isAnimated else { return nil }
        return ArrivedFrames(info: header.info, decoder: try JXLFrameDecoder(bytes, header, context.limits))
    }
}
