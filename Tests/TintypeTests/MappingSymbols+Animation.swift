import Foundation
import Tintype

extension MappingSymbols {
    /// Animated pictures, and formats that came with them.
    static var animation: [String: Any] {
        [
            "AnimatedImage": AnimatedImage.self, "AnimatedImageDecoder": (any AnimatedImageDecoder).self,
            "FrameDecoder": (any FrameDecoder).self, "GIFDecoder": GIFDecoder.self,
            "SVGDecoder": SVGDecoder.self, "WebPDecoder": WebPDecoder.self,
            "AnimatedImage.durations": \AnimatedImage.durations,
            "AnimatedImage.frame(at:isCancelled:)": { (animation: AnimatedImage) throws in
                try animation.frame(at: 0, isCancelled: { false })
            },
            "AnimatedImageDecoder.makeFrameDecoder(_:_:)": { (decoder: any AnimatedImageDecoder) throws in
                try decoder.makeFrameDecoder(Data(), DecodeContext())
            },
            "FrameDuration.played(_:)": FrameDuration.played(_:),
            "Image.animation": \Image.animation, "Image.isAnimated": \Image.isAnimated,
        ]
    }
}
