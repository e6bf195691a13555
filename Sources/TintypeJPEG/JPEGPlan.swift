import TintypeCore

/// How a JPEG is brought to the asked size.
struct JPEGPlan: Equatable {
    /// The size of the whole picture, and the part and size of the result, before it is turned upright.
    let stored: PixelSize
    let target: DecodeTarget
    /// How much of the stored size libjpeg itself gives, in eighths.
    let eighths: Int
    let orientation: Orientation

    init(_ info: ImageInfo, _ options: DecodeOptions) throws(TintypeError) {
        orientation = info.orientation
        stored = info.storedSize
        target = try DecodeTarget(info, options)
        eighths = Self.eighths(target.part.size, target.size)
    }

    /// The same result made of a thumbnail that the file carries; `nil` when that does not stand for it.
    init?(_ plan: JPEGPlan, thumbnail: PixelSize) {
        guard thumbnail.stands(for: plan.stored, atLeast: plan.target.size) else { return nil }
        orientation = plan.orientation
        stored = thumbnail
        target = DecodeTarget(whole: thumbnail, size: plan.target.size)
        eighths = Self.eighths(thumbnail, target.size)
    }

    /// Whether what libjpeg gives is the result.
    func isDone(at drawn: PixelSize) -> Bool { target.part.size == stored && target.size == drawn }

    /// The fewest eighths that are still not smaller than the target on either side: scaling in the frequency domain
    /// is nearly free, but what it takes away nothing brings back.
    private static func eighths(_ stored: PixelSize, _ target: PixelSize) -> Int {
        (1...8).first { eighths in
            // As libjpeg rounds: up.
            (stored.width * eighths + 7) / 8 >= target.width && (stored.height * eighths + 7) / 8 >= target.height
        } ?? 8
    }
}
