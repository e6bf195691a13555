import CLibJXL
import Foundation
import TintypeCore

/// libjxl writing one file.
struct JXLWriter: ~Copyable {
    private let encoder: OpaquePointer
    private let hasAlpha: Bool
    private let isLossless: Bool
    private var data = Data()

    /// Of an animation, frames last so many of these.
    static let ticksPerSecond = 1000

    /// - Parameter plays: of an animation, 0 is forever; `nil` for a still picture.
    init(size: PixelSize, hasAlpha: Bool, isLossless: Bool, plays: Int? = nil) throws(TintypeError) {
        guard let encoder = JxlEncoderCreate(nil) else {
            throw TintypeError(.outOfMemory, stage: .encode, "no memory for a JPEG XL encoder")
        }
        do throws(TintypeError) {
            try Self.describe(size, hasAlpha: hasAlpha, isLossless: isLossless, plays: plays, to: encoder)
        } catch {
            JxlEncoderDestroy(encoder)
            throw error
        }
        self.encoder = encoder
        self.hasAlpha = hasAlpha
        self.isLossless = isLossless
    }

    private static func describe(
        _ size: PixelSize, hasAlpha: Bool, isLossless: Bool, plays: Int?, to encoder: OpaquePointer
    ) throws(TintypeError) {
        var info = JxlBasicInfo()
        JxlEncoderInitBasicInfo(&info)
        (info.xsize, info.ysize) = (UInt32(size.width), UInt32(size.height))
        (info.bits_per_sample, info.num_color_channels) = (8, 3)
        (info.num_extra_channels, info.alpha_bits) = hasAlpha ? (1, 8) : (0, 0)
        info.uses_original_profile = isLossless ? 1 : 0
        if let plays {
            info.have_animation = 1
            info.animation = JxlAnimationHeader(
                tps_numerator: UInt32(ticksPerSecond), tps_denominator: 1, num_loops: UInt32(clamping: plays),
                have_timecodes: 0)
        }
        var colors = JxlColorEncoding()
        JxlColorEncodingSetToSRGB(&colors, 0)
        try check(JxlEncoderSetBasicInfo(encoder, &info), encoder)
        try check(JxlEncoderSetColorEncoding(encoder, &colors), encoder)
    }

    deinit {
        JxlEncoderDestroy(encoder)
    }

    /// Adds straight pixels, of an animation with the ticks that they are shown.
    func add(_ pixels: PixelBuffer, distance: Float, effort: Int, ticks: Int? = nil) throws(TintypeError) {
        // Owned by the encoder.
        guard let settings = JxlEncoderFrameSettingsCreate(encoder, nil) else {
            throw TintypeError(.outOfMemory, stage: .encode, "no memory for a JPEG XL encoder")
        }
        try check(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, Int64(effort)))
        try check(
            isLossless ? JxlEncoderSetFrameLossless(settings, 1) : JxlEncoderSetFrameDistance(settings, distance))
        if let ticks {
            var header = JxlFrameHeader()
            JxlEncoderInitFrameHeader(&header)
            header.duration = UInt32(clamping: ticks)
            try check(JxlEncoderSetFrameHeader(settings, &header))
        }
        let channels = hasAlpha ? 4 : 3
        var format = JxlPixelFormat(
            num_channels: UInt32(channels), data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)
        let samples = Self.packed(pixels, channels: channels)
        try check(JxlEncoderAddImageFrame(settings, &format, samples, samples.count))
    }

    /// The file, once its pixels are there.
    consuming func finish() throws(TintypeError) -> Data {
        JxlEncoderCloseInput(encoder)
        try encode()
        return data
    }

    /// Encodes what was added, so that its pixels need not be kept. Not for the last frame, which ``finish()`` marks.
    mutating func encode() throws(TintypeError) {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let (status, count) = piece.withUnsafeMutableBufferPointer { room in
                var (next, left) = (room.baseAddress, room.count)
                let status = JxlEncoderProcessOutput(encoder, &next, &left)
                return (status, room.count - left)
            }
            data.append(contentsOf: piece[..<count])
            if status == JXL_ENC_SUCCESS { return }
            if status != JXL_ENC_NEED_MORE_OUTPUT { try check(status) }
        }
    }

    private func check(_ status: JxlEncoderStatus) throws(TintypeError) {
        try Self.check(status, encoder)
    }

    private static func check(_ status: JxlEncoderStatus, _ encoder: OpaquePointer) throws(TintypeError) {
        guard status != JXL_ENC_SUCCESS else { return }
        let reason = JxlEncoderGetError(encoder)
        let code: TintypeError.Code = reason == JXL_ENC_ERR_OOM ? .outOfMemory : .encodeFailed
        throw TintypeError(code, stage: .encode, "no JPEG XL could be made: libjxl's error \(reason.rawValue)")
    }

    private static func packed(_ pixels: PixelBuffer, channels: Int) -> [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(pixels.size.area * channels)
        for y in 0..<pixels.size.height {
            pixels.withUnsafeRow(y) { row in
                if channels == 4 { return samples.append(contentsOf: row) }
                for place in stride(from: 0, to: row.count, by: 4) {
                    samples.append(row[place])
                    samples.append(row[place + 1])
                    samples.append(row[place + 2])
                }
            }
        }
        return samples
    }
}
