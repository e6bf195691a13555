public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder of videos, of which it shows a frame: the first, or that at ``DecodeOptions/time``.
    public static let video = ImageCoderRegistry(decoders: [VideoDecoder()])
}
