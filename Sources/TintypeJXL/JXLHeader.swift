import CLibJXL
import TintypeCore

/// What a JPEG XL says of itself and its frames, none of them decoded.
struct JXLHeader {
    let info: ImageInfo
    /// Whether it may have several frames.
    let isAnimated: Bool
    let isPremultiplied: Bool
    let isGrey: Bool
    /// Bits of a channel.
    let depth: Int
    /// The brightest light of the picture, in cd/m², where the file says it: that of PQ itself and that of white say nothing.
    let peak: Double?

    /// Which frames of an animation are counted.
    enum Counted {
        case all
        /// Those that are whole in a prefix.
        case arrived
        /// None: of what is told the animation is the first one.
        case nothing
    }

    /// - Returns: `nil` when the bytes are a prefix that ends too early.
    /// - Throws: ``TintypeError/Code/limitExceeded`` above the limits.
    init?(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool, counting counted: Counted = .all, _ limits: DecodeLimits
    ) throws(TintypeError) {
        var reader = try JXLReader(bytes, isComplete: isComplete, events: JXL_DEC_BASIC_INFO, JXL_DEC_FRAME)
        guard try reader.next() != nil else { return nil }
        let header = try reader.header()
        var info = ImageInfo(header)
        isAnimated = header.have_animation != 0
        isPremultiplied = header.alpha_premultiplied != 0
        (isGrey, depth) = (header.num_color_channels == 1, Int(header.bits_per_sample))
        peak = (256..<10_000).contains(header.intensity_target) ? Double(header.intensity_target) : nil
        // The canvas first: nothing is noted of the frames of one that is too large.
        try limits.check(info)
        if isAnimated && counted != .nothing {
            let found = try Self.durations(
                &reader, header.animation, countsArrived: counted == .arrived, limits)
            guard let durations = found else { return nil }
            if durations.count > 1 {
                (info.frameCount, info.durations) = (durations.count, durations)
                info.loopCount = Int(header.animation.num_loops)
            }
        }
        self.info = info
    }

    private static func durations(
        _ reader: inout JXLReader, _ animation: JxlAnimationHeader, countsArrived: Bool, _ limits: DecodeLimits
    ) throws(TintypeError) -> [Double]? {
        let second = Double(animation.tps_numerator) / Double(max(animation.tps_denominator, 1))
        var durations: [Double] = []
        while let event = try reader.next() {
            guard event == JXL_DEC_FRAME else {
                if countsArrived { break }
                return durations
            }
            let header = try reader.frameHeader()
            durations.append(second > 0 ? Double(header.duration) / second : 0)
            guard durations.count <= limits.frames else {
                throw .exceeded(.frames, "a JPEG XL of more than \(limits.frames) frames")
            }
            if header.is_last != 0 && !countsArrived { return durations }
        }
        // What has begun last need not be whole, whether or not libjxl says that it is the last.
        return countsArrived && durations.count > 1 ? durations.dropLast() : nil
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
