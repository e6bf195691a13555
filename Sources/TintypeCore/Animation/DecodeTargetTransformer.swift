/// Brings a whole frame to the part and size that were asked of its decoder.
struct DecodeTargetTransformer: ImageTransformer {
    let target: DecodeTarget

    init(_ target: DecodeTarget) {
        self.target = target
    }

    var identifier: String {
        "target(\(target.part.x),\(target.part.y),\(target.part.size),\(target.size))"
    }

    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        try pixels.resampled(crop: target.part, to: target.size, filter: .lanczos3)
    }
}
