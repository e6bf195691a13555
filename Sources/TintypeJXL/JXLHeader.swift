import CLibJXL
import TintypeCore

/// The properties of a JPEG XL and its frames, read without decoding pixels.
struct JXLHeader {
    let info: ImageInfo
    /// Whether the file may have several frames.
    let isAnimated: Bool
    let isPremultiplied: Bool
    let isGrey: Bool
    /// Whether the samples are stored in XYB, the colour space of lossy images.
    let isXYB: Bool
    let extraChannelCount: Int
    /// Whether frames of an animation state the time at which they are shown.
    let hasTimecodes: Bool
    /// Bits per channel.
    let depth: Int
    /// The peak luminance of the image in cd/m²; `nil` if the file declares only the default of SDR or the maximum of PQ.
    let peak: Double?
    /// Whether the file contains a small version of the image, in a frame before the others.
    let hasPreview: Bool
    /// The bytes of memory per pixel that decoding takes, including the result in 8 bits.
    let bytesPerPixel: (single: Int, layered: Int)

    /// The frames of an animation that are counted.
    enum FrameCounting {
        case all
        /// Frames that are complete in a prefix.
        case arrived
        /// No frames: ``info`` describes the first one only.
        case nothing
    }

    /// Reads the header, and those of the frames if they are counted.
    ///
    /// - Parameters:
    ///   - isComplete: Whether `bytes` are the whole file.
    ///   - isCancelled: Ends the count of the frames. libjxl reports none of those that are shown for no time.
    /// - Returns: `nil` if `bytes` are a prefix that does not suffice.
    /// - Throws: ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/undecodable``,
    ///   ``TintypeError/Code/outOfMemory``; ``TintypeError/cancelled``.
    init?(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool, counting: FrameCounting = .all, _ limits: DecodeLimits,
        isCancelled: () -> Bool = { false }
    ) throws(TintypeError) {
        var reader = try JXLReader(bytes, isComplete: isComplete, events: JXL_DEC_BASIC_INFO, JXL_DEC_FRAME)
        guard try reader.nextEvent() != nil else { return nil }
        let header = try reader.header()
        var info = ImageInfo(header)
        isAnimated = header.have_animation != 0
        hasTimecodes = isAnimated && header.animation.have_timecodes != 0
        isPremultiplied = header.alpha_premultiplied != 0
        (isGrey, depth) = (header.num_color_channels == 1, Int(header.bits_per_sample))
        (isXYB, extraChannelCount) = (header.uses_original_profile == 0, Int(header.num_extra_channels))
        peak = (256..<10_000).contains(header.intensity_target) ? Double(header.intensity_target) : nil
        // The canvas is checked before the frames are read.
        try limits.check(info)
        hasPreview = header.have_preview != 0
        bytesPerPixel = Self.bytesPerPixel(header)
        try limits.checkMemory(bytesPerPixel: bytesPerPixel.single, of: info.size)
        try JXLProfileSize.check(bytes, limits)
        if isAnimated && counting != .nothing {
            guard
                let durations = try Self.durations(
                    &reader, header.animation, arrivedOnly: counting == .arrived, limits, isCancelled)
            else { return nil }
            if durations.count > 1 {
                (info.frameCount, info.durations) = (durations.count, durations)
                info.loopCount = Int(header.animation.num_loops)
            }
        }
        self.info = info
    }

    /// Returns the memory that libjxl 0.7 takes for each pixel, with the result. It decodes a single frame without extra
    /// channels in small groups, and all others as floating-point planes. It keeps up to four frames for later ones, and
    /// copies them to blend. docs/decoder-memory.md has the measurements.
    private static func bytesPerPixel(_ header: JxlBasicInfo) -> (single: Int, layered: Int) {
        let extra = Int(header.num_extra_channels)
        let isPlain = extra == 0 && header.have_animation == 0
        let single = isPlain ? 28 : 40 + 8 * (max(extra, 1) - 1)
        return (single, extra == 0 ? 72 : 128 + 36 * (extra - 1))
    }

    /// Checks the memory for decoding the image, in addition to the check of ``init(_:isComplete:counting:_:)``, which knows
    /// nothing about layers.
    ///
    /// - Parameter other: Further bytes for each pixel of the image.
    /// - Throws: ``TintypeError/Code/limitExceeded``.
    func checkMemory(_ layers: JXLLayers, _ limits: DecodeLimits, other: Int = 0) throws(TintypeError) {
        let bytes = layers.hasReferences ? bytesPerPixel.layered : bytesPerPixel.single
        let beyondCanvas = Double(layers.largestArea - info.size.area) * Double(bytes)
        try limits.checkMemory(
            bytesPerPixel: bytes + other, of: info.size, other: beyondCanvas + layers.featureBytes)
    }

    /// Reads the duration of each frame in seconds; `nil` if the bytes end before the last frame, or if none has arrived.
    private static func durations(
        _ reader: inout JXLReader, _ animation: JxlAnimationHeader, arrivedOnly: Bool, _ limits: DecodeLimits,
        _ isCancelled: () -> Bool
    ) throws(TintypeError) -> [Double]? {
        let ticksPerSecond = Double(animation.tps_numerator) / Double(max(animation.tps_denominator, 1))
        var durations: [Double] = []
        while let event = try reader.nextEvent(isCancelled: isCancelled) {
            guard event == JXL_DEC_FRAME else {
                if arrivedOnly { break }
                return durations
            }
            let header = try reader.frameHeader()
            durations.append(ticksPerSecond > 0 ? Double(header.duration) / ticksPerSecond : 0)
            guard durations.count <= limits.frames else {
                throw .exceeded(.frames, "the JPEG XL has more than \(limits.frames) frames")
            }
            if header.is_last != 0 && !arrivedOnly { return durations }
        }
        // The frame that began last may be incomplete, even if libjxl reports it as the last of the file.
        return arrivedOnly && durations.count > 1 ? durations.dropLast() : nil
    }
}

extension ImageInfo {
    fileprivate init(_ header: JxlBasicInfo) {
        let orientation = Orientation(rawValue: Int(header.orientation.rawValue)) ?? .up
        let stored = PixelSize(width: Int(header.xsize), height: Int(header.ysize))
        self.init(
            format: .jxl, size: orientation.displayed(stored), orientation: orientation,
            hasAlpha: header.alpha_bits > 0)
    }
}
