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

    /// The same result made of a thumbnail that the file carries; `nil` when it is too small, or shows another part: those of
    /// cameras may have black bars.
    init?(_ plan: JPEGPlan, thumbnail: PixelSize) {
        let exact = Double(plan.stored.width) / Double(plan.stored.height)
        let own = Double(thumbnail.width) / Double(max(thumbnail.height, 1))
        // Its sides are whole pixels: it may be off by one.
        let slack = 1.5 / Double(max(1, min(thumbnail.width, thumbnail.height)))
        guard thumbnail.width >= plan.target.size.width, thumbnail.height >= plan.target.size.height,
            abs(own / exact - 1) <= slack
        else { return nil }
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
