import Foundation
import Tintype

extension MappingSymbols {
    /// The formats beside JPEG and PNG, and those that came with animations.
    static var codecs: [String: Any] {
        [
            "AVIFDecoder": AVIFDecoder.self, "AVIFEncoder": AVIFEncoder.self,
            "BMPDecoder": BMPDecoder.self, "BMPEncoder": BMPEncoder.self,
            "HEIFDecoder": HEIFDecoder.self, "HEIFEncoder": HEIFEncoder.self,
            "ICODecoder": ICODecoder.self,
            "JXLDecoder": JXLDecoder.self, "JXLEncoder": JXLEncoder.self,
            "TIFFDecoder": TIFFDecoder.self, "TIFFEncoder": TIFFEncoder.self,
            "WebPEncoder": WebPEncoder.self,
            "Image.highRange": \Image.highRange, "Image.pixels": \Image.pixels,
            "EncodeOptions.embedsThumbnail": \EncodeOptions.embedsThumbnail,
            "EncodeOptions.frames": \EncodeOptions.frames,
            "EncodeOptions.maximumSize": \EncodeOptions.maximumSize,
            "EncodeOptions.maximumByteCount": \EncodeOptions.maximumByteCount,
            "ImageCoderRegistry.encode(_:as:_:)": ImageCoderRegistry.encode(_:as:_:)
                as (ImageCoderRegistry) -> (PixelBuffer, ImageFormat, EncodeOptions) throws(TintypeError) -> Data,
            "ImagePipeline.encode(_:as:_:priority:)": { (pipeline: ImagePipeline, image: Image) in
                try await pipeline.encode(image, as: .png)
            },
            "GIFEncoder": GIFEncoder.self,
            "AnimatedImageEncoder.encode(_:as:_:)": { (encoder: any AnimatedImageEncoder, animation: AnimatedImage) in
                try encoder.encode(animation, as: .gif, EncodeOptions())
            },
        ]
    }
}
