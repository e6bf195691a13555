import CLibJXL
import TintypeCore

/// The properties of a JPEG XL and its frames, read without decoding pixels.
struct JXLHeader {
    let info: ImageInfo
    /// Whether the file may have several frames.
    let isAnimated: Bool
    let isPremultiplied: Bool
    let isGrey: Bool
    /// Bits per channel.
    let depth: Int
    /// The peak luminance of the image in cd/m²; `nil` if the file declares only the default of SDR or the maximum of
    /// PQ.
    let peak: Double?

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
    /// - Throws: `TintypeError.Code.limitExceeded`, `TintypeError.Code.undecodable`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    init?(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool, counting: FrameCounting = .all, _ limits: DecodeLimits,
        isCancelled: () -> Bool = { false }
    ) throws(TintypeError) {
        var reader = try JXLReader(bytes, isComplete: isComplete, events: JXL_DEC_BASIC_INFO, JXL_DEC_FRAME)
        guard try reader.nextEvent() != nil else { return nil }
        let header = try reader.header()
        var info = ImageInfo(header)
        isAnimated = header.have_animation != 0
        isPremultiplied = header.alpha_premultiplied != 0
        (isGrey, depth) = (header.num_color_channels == 1, Int(header.bits_per_sample))
        peak = (256..<10_000).contains(header.intensity_target) ? Double(header.intensity_target) : nil
        // The canvas is checked before the frames are read.
        try limits.check(info)
        try limits.checkMemory(bytesPerPixel: PixelBuffer.bytesPerPixel, of: info.size)
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

    /// Checks the memory for the result. libjxl needs more, which only a worker process limits.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded`.
    func checkMemory(_ context: DecodeContext) throws(TintypeError) {
        try context.limits.checkMemory(
            bytesPerPixel: PixelBuffer.bytesPerPixel + context.highRangeBytesPerPixel(isWide: depth > 8), of: info.size)
    }

    /// Reads the duration of each frame in seconds; `nil` if the bytes end before the last frame, or if none has
    /// arrived.
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
        bitDepth = max(bitDepth, Int(header.bits_per_sample))
        // 255 cd/m² is the default, for a standard range.
        isHighRange = header.intensity_target > 255
    }
}
