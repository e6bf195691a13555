import CLibJXL
import Foundation
import TintypeColor
import TintypeCore

/// Writes one file with libjxl, on threads that would idle. The file does not depend on their number.
///
/// Not thread-safe: use it from one thread at a time.
struct JXLWriter: ~Copyable {
    private let encoder: OpaquePointer
    private let channels: Channels
    private let settings: Settings
    private let spare: SpareThreads
    private var data = Data()

    /// The unit of frame durations: ticks a second.
    static let ticksPerSecond = 1000
    /// In cd/m².
    private static let brightestOfPQ: Float = 10_000

    /// The meaning of the samples.
    enum Colors {
        /// With 8 bits.
        case standard(EncodeOptions.ColorSpace)
        /// With 16 bits.
        case deep(EncodeOptions.ColorSpace)
        /// With 16 bits, in PQ with the primaries of Rec. ITU-R BT.2100.
        case pq
    }

    /// The channels that are stored.
    struct Channels {
        let isGrey: Bool
        let hasAlpha: Bool

        var count: UInt32 { (isGrey ? 1 : 3) + (hasAlpha ? 1 : 0) }
    }

    /// How the pixels are coded.
    struct Settings {
        let isLossless: Bool
        /// The butteraugli distance, above 0 to 15; ignored if `isLossless`.
        let distance: Float
        /// From 1, the fastest, to 9.
        let effort: Int
    }

    /// Creates a writer and describes the image to it.
    ///
    /// - Parameter playCount: The number of plays of an animation, 0 for forever; `nil` for a still image.
    /// - Throws: `TintypeError.Code.noCoder`, `TintypeError.Code.encodeFailed` or
    ///   `TintypeError.Code.outOfMemory`.
    init(
        size: PixelSize, _ channels: Channels, _ colors: Colors, _ settings: Settings, playCount: Int? = nil,
        metadata: EncodedMetadata
    ) throws(TintypeError) {
        try JXLLibrary.load(for: .encode)
        guard let encoder = JxlEncoderCreate(nil) else {
            throw TintypeError(.outOfMemory, stage: .encode, "not enough memory for a JPEG XL encoder")
        }
        do throws(TintypeError) {
            try Self.configure(encoder, size, channels, colors, settings, playCount: playCount)
            try Self.add(metadata, to: encoder)
        } catch {
            JxlEncoderDestroy(encoder)
            throw error
        }
        self.encoder = encoder
        self.channels = channels
        self.settings = settings
        spare = SpareThreads(if: size.area >= Self.largeArea)
        if spare.count > 1 { JxlEncoderSetParallelRunner(encoder, JXLThreads.run, JXLThreads.context(spare.count)) }
    }

    /// The number of pixels from which several threads are worth starting.
    private static let largeArea = 250_000

    private static func configure(
        _ encoder: OpaquePointer, _ size: PixelSize, _ channels: Channels, _ colors: Colors, _ settings: Settings,
        playCount: Int?
    ) throws(TintypeError) {
        var info = JxlBasicInfo()
        JxlEncoderInitBasicInfo(&info)
        (info.xsize, info.ysize) = (UInt32(size.width), UInt32(size.height))
        (info.bits_per_sample, info.num_color_channels) = (colors.depth, channels.isGrey ? 1 : 3)
        (info.num_extra_channels, info.alpha_bits) = channels.hasAlpha ? (1, colors.depth) : (0, 0)
        info.uses_original_profile = settings.isLossless ? 1 : 0
        if let playCount {
            info.have_animation = 1
            info.animation = JxlAnimationHeader(
                tps_numerator: UInt32(ticksPerSecond), tps_denominator: 1, num_loops: UInt32(clamping: playCount),
                have_timecodes: 0)
        }
        if case .pq = colors { info.intensity_target = brightestOfPQ }
        var encoding = colors.encoding(isGrey: channels.isGrey)
        try check(JxlEncoderSetBasicInfo(encoder, &info), encoder)
        try check(JxlEncoderSetColorEncoding(encoder, &encoding), encoder)
    }

    /// Adds the boxes of metadata, which come before the frames (ISO/IEC 18181-2). The colours need no profile.
    private static func add(_ metadata: EncodedMetadata, to encoder: OpaquePointer) throws(TintypeError) {
        guard metadata.exif != nil || metadata.xmp != nil else { return }
        try check(JxlEncoderUseBoxes(encoder), encoder)
        // Exif data follows an offset of four bytes.
        if let exif = metadata.exif { try addBox("Exif", Data(count: 4) + exif, to: encoder) }
        if let xmp = metadata.xmp { try addBox("xml ", xmp, to: encoder) }
        JxlEncoderCloseBoxes(encoder)
    }

    private static func addBox(_ type: String, _ contents: Data, to encoder: OpaquePointer) throws(TintypeError) {
        let letters = type.utf8.map(CChar.init)
        let status = contents.withUnsafeBytes { bytes in
            JxlEncoderAddBox(encoder, letters, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, 0)
        }
        try check(status, encoder)
    }

    deinit {
        JxlEncoderDestroy(encoder)
    }

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - pixels: Straight pixels.
    ///   - ticks: The duration of a frame of an animation; `nil` for a still image.
    func add(_ pixels: PixelBuffer, ticks: Int? = nil) throws(TintypeError) {
        let samples = channels.interleaved(pixels)
        try samples.withUnsafeBytes { bytes in
            Result { () throws(TintypeError) in try add(bytes, JXL_TYPE_UINT8, ticks: ticks) }
        }.get()
    }

    /// Adds a still image of 16-bit samples, which are those of the channels.
    func add(_ samples: [UInt16]) throws(TintypeError) {
        try samples.withUnsafeBytes { bytes in
            Result { () throws(TintypeError) in try add(bytes, JXL_TYPE_UINT16, ticks: nil) }
        }.get()
    }

    private func add(
        _ samples: UnsafeRawBufferPointer, _ type: JxlDataType, ticks: Int?
    ) throws(TintypeError) {
        // Owned by the encoder.
        guard let frame = JxlEncoderFrameSettingsCreate(encoder, nil) else {
            throw TintypeError(.outOfMemory, stage: .encode, "not enough memory for a JPEG XL encoder")
        }
        try check(JxlEncoderFrameSettingsSetOption(frame, JXL_ENC_FRAME_SETTING_EFFORT, Int64(settings.effort)))
        try check(
            settings.isLossless
                ? JxlEncoderSetFrameLossless(frame, 1) : JxlEncoderSetFrameDistance(frame, settings.distance))
        if let ticks {
            var header = JxlFrameHeader()
            JxlEncoderInitFrameHeader(&header)
            header.duration = UInt32(clamping: ticks)
            try check(JxlEncoderSetFrameHeader(frame, &header))
        }
        var format = JxlPixelFormat(
            num_channels: channels.count, data_type: type, endianness: JXL_NATIVE_ENDIAN, align: 0)
        try check(JxlEncoderAddImageFrame(frame, &format, samples.baseAddress, samples.count))
    }

    /// Encodes the last frame and returns the file.
    consuming func finish() throws(TintypeError) -> Data {
        JxlEncoderCloseInput(encoder)
        try encodeAddedFrames()
        return data
    }

    /// Encodes the added frames, so that libjxl releases their pixels. Only ``finish()`` may encode the last frame,
    /// because it marks the end of the file.
    mutating func encodeAddedFrames() throws(TintypeError) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let (status, count) = buffer.withUnsafeMutableBufferPointer { output in
                var (next, left) = (output.baseAddress, output.count)
                let status = JxlEncoderProcessOutput(encoder, &next, &left)
                return (status, output.count - left)
            }
            data.append(contentsOf: buffer[..<count])
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
        throw TintypeError(code, stage: .encode, "cannot encode a JPEG XL: libjxl error \(reason.rawValue)")
    }
}

extension JXLWriter.Channels {
    /// Returns the samples of straight pixels without padding.
    func interleaved(_ pixels: PixelBuffer) -> [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(pixels.size.area * Int(count))
        for y in 0..<pixels.size.height { pixels.withUnsafeRow(y) { pick($0, into: &samples) } }
        return samples
    }

    /// Returns the samples that are stored of straight RGBA.
    func picked(from samples: [UInt16]) -> [UInt16] {
        var picked: [UInt16] = []
        picked.reserveCapacity(samples.count / 4 * Int(count))
        pick(samples, into: &picked)
        return picked
    }

    private func pick<Sample>(_ pixels: some Collection<Sample>, into samples: inout [Sample]) {
        if count == 4 { return samples.append(contentsOf: pixels) }
        let stored = (isGrey ? [0] : [0, 1, 2]) + (hasAlpha ? [3] : [])
        var pixel = pixels.startIndex
        while pixel != pixels.endIndex {
            for channel in stored { samples.append(pixels[pixels.index(pixel, offsetBy: channel)]) }
            pixel = pixels.index(pixel, offsetBy: 4)
        }
    }
}

extension JXLWriter.Colors {
    /// Bits per sample.
    fileprivate var depth: UInt32 {
        if case .standard = self { 8 } else { 16 }
    }

    /// The colours as libjxl names them.
    fileprivate func encoding(isGrey: Bool) -> JxlColorEncoding {
        var encoding = JxlColorEncoding()
        JxlColorEncodingSetToSRGB(&encoding, isGrey ? 1 : 0)
        switch self {
        case .standard(.sRGB), .deep(.sRGB): break
        case .standard(.displayP3), .deep(.displayP3): encoding.primaries = JXL_PRIMARIES_P3
        case .pq: (encoding.primaries, encoding.transfer_function) = (JXL_PRIMARIES_2100, JXL_TRANSFER_FUNCTION_PQ)
        }
        return encoding
    }
}
