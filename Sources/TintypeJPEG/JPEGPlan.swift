import TintypeCore

/// How a JPEG is brought to the asked size.
struct JPEGPlan: Equatable {
    /// The size of the result before it is turned upright.
    let storedTarget: PixelSize
    /// How much of the stored size libjpeg itself gives, in eighths.
    let eighths: Int
    let orientation: Orientation

    init(_ info: ImageInfo, _ options: DecodeOptions) {
        orientation = info.orientation
        let stored = info.storedSize
        storedTarget = orientation.displayed(options.size.target(for: info.size))
        eighths = Self.eighths(stored, storedTarget)
    }

    /// The fewest eighths that are still not smaller than the target on either side: scaling in the frequency domain
    /// is nearly free, but what it takes away nothing brings back.
    private static func eighths(_ stored: PixelSize, _ target: PixelSize) -> Int {
        (1...8).first { eighths in
            // As libjpeg rounds: up.
            (stored.width * eighths + 7) / 8 >= target.width && (stored.height * eighths + 7) / 8 >= target.height
        } ?? 8
    }
}
