import Foundation
import TintypeTesting

@testable import TintypeCore

/// A drawn animation that arrives, a byte a frame.
struct GrowingAnimation: ProgressiveAnimationDecoder {
    var whole: DrawnAnimation

    var formats: Set<ImageFormat> { whole.formats }

    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? { whole.info }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try whole.decode(bytes, context: context)
    }

    func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
        try whole.makeFrameDecoder(bytes, context: context)
    }

    func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        guard !bytes.isEmpty else { return nil }
        var part = whole
        part.frames = Array(whole.frames.prefix(bytes.count))
        return ArrivedFrames(info: part.info, decoder: try part.makeFrameDecoder(bytes, context: context))
    }
}
