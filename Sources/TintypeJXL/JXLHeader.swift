import CLibJXL
import TintypeCore

/// What a JPEG XL says of itself and its frames, none of them decoded.
struct JXLHeader {
    let info: ImageInfo
    let isPremultiplied: Bool

    /// - Parameter maximumFrames: where to stop.
    /// - Returns: `nil` when the bytes are a prefix that ends too early.
    /// - Throws: ``TintypeError/Code/limitExceeded`` above `maximumFrames`.
    init?(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool, _ limits: DecodeLimits
    ) throws(TintypeError) {
        var reader = try JXLReader(bytes, isComplete: isComplete, events: JXL_DEC_BASIC_INFO, JXL_DEC_FRAME)
        guard try reader.next() != nil else { return nil }
        let header = try reader.header()
        var info = ImageInfo(header)
        isPremultiplied = header.alpha_premultiplied != 0
        // The canvas first: nothing is noted of the frames of one that is too large.
        try limits.check(info)
        if header.have_animation != 0 {
            guard let durations = try Self.durations(&reader, header.animation, limits) else { return nil }
            if durations.count > 1 {
                (info.frameCount, info.durations) = (durations.count, durations)
                info.loopCount = Int(header.animation.num_loops)
            }
        }
        self.info = info
    }

    private static func durations(
        _ reader: inout JXLReader, _ animation: JxlAnimationHeader, _ limits: DecodeLimits
    ) throws(TintypeError) -> [Double]? {
        let second = Double(animation.tps_numerator) / Double(max(animation.tps_denominator, 1))
        var durations: [Double] = []
        while let event = try reader.next() {
            guard event == JXL_DEC_FRAME else { return durations }
            let header = try reader.frameHeader()
            durations.append(second > 0 ? Double(header.duration) / second : 0)
            guard durations.count <= limits.frames else {
                throw .exceeded(.frames, "a JPEG XL of more than \(limits.frames) frames")
            }
            if header.is_last != 0 { return durations }
        }
        return nil
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
