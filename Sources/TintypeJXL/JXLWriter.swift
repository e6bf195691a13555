import CLibJXL
import Foundation
import TintypeColor
import TintypeCore

/// Writes one file with libjxl.
///
/// Not thread-safe: use it from one thread at a time.
struct JXLWriter: ~Copyable {
    private let encoder: OpaquePointer
    private let hasAlpha: Bool
    private let isLossless: Bool
    private var data = Data()

    /// The unit of frame durations: ticks a second.
    static let ticksPerSecond = 1000
    /// In cd/m².
    private static let brightestOfPQ: Float = 10_000

    /// The meaning of the samples.
    enum Colors {
        /// With 8 bits.
        case standard(EncodeOptions.ColorSpace)
        /// With 16 bits, in PQ with the primaries of Rec. ITU-R BT.2100.
        case pq
    }

    /// Creates a writer and describes the image to it.
    ///
    /// - Parameter playCount: The number of plays of an animation, 0 for forever; `nil` for a still image.
    /// - Throws: ``TintypeError/Code/noCoder``, ``TintypeError/Code/encodeFailed`` or ``TintypeError/Code/outOfMemory``.
    init(
        size: PixelSize, hasAlpha: Bool, isLossless: Bool, _ colors: Colors, playCount: Int? = nil,
        metadata: EncodedMetadata
    ) throws(TintypeError) {
        try JXLLibrary.load(for: .encode)
        guard let encoder = JxlEncoderCreate(nil) else {
            throw TintypeError(.outOfMemory, stage: .encode, "not enough memory for a JPEG XL encoder")
        }
        do throws(TintypeError) {
            try Self.configure(encoder, size, hasAlpha: hasAlpha, isLossless: isLossless, colors, playCount: playCount)
            try Self.add(metadata, to: encoder)
        } catch {
            JxlEncoderDestroy(encoder)
            throw error
        }
        self.encoder = encoder
        self.hasAlpha = hasAlpha
        self.isLossless = isLossless
    }

    private static func configure(
        _ encoder: OpaquePointer, _ size: PixelSize, hasAlpha: Bool, isLossless: Bool, _ colors: Colors, playCount: Int?
    ) throws(TintypeError) {
        var info = JxlBasicInfo()
        JxlEncoderInitBasicInfo(&info)
        (info.xsize, info.ysize) = (UInt32(size.width), UInt32(size.height))
        (info.bits_per_sample, info.num_color_channels) = (colors.depth, 3)
        (info.num_extra_channels, info.alpha_bits) = hasAlpha ? (1, colors.depth) : (0, 0)
        info.uses_original_profile = isLossless ? 1 : 0
        if let playCount {
            info.have_animation = 1
            info.animation = JxlAnimationHeader(
                tps_numerator: UInt32(ticksPerSecond), tps_denominator: 1, num_loops: UInt32(clamping: playCount),
                have_timecodes: 0)
        }
        if case .pq = colors { info.intensity_target = brightestOfPQ }
        var encoding = colors.encoding
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
    ///   - distance: The butteraugli distance, 0 to 15; ignored by a lossless writer.
    ///   - effort: From 1, the fastest, to 9.
    ///   - ticks: The duration of a frame of an animation; `nil` for a still image.
    func add(_ pixels: PixelBuffer, distance: Float, effort: Int, ticks: Int? = nil) throws(TintypeError) {
        let samples = Self.interleavedSamples(pixels, channels: hasAlpha ? 4 : 3)
        try samples.withUnsafeBytes { bytes in
            Result { () throws(TintypeError) in
                try add(bytes, JXL_TYPE_UINT8, distance: distance, effort: effort, ticks: ticks)
            }
        }.get()
    }

    /// Adds an image of the high range, whose samples include alpha if the writer does.
    func add(_ rows: PQRows, distance: Float, effort: Int) throws(TintypeError) {
        try rows.samples.withUnsafeBytes { bytes in
            Result { () throws(TintypeError) in
                try add(bytes, JXL_TYPE_UINT16, distance: distance, effort: effort, ticks: nil)
            }
        }.get()
    }

    private func add(
        _ samples: UnsafeRawBufferPointer, _ type: JxlDataType, distance: Float, effort: Int, ticks: Int?
    ) throws(TintypeError) {
        // Owned by the encoder.
        guard let settings = JxlEncoderFrameSettingsCreate(encoder, nil) else {
            throw TintypeError(.outOfMemory, stage: .encode, "not enough memory for a JPEG XL encoder")
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
        var format = JxlPixelFormat(
            num_channels: hasAlpha ? 4 : 3, data_type: type, endianness: JXL_NATIVE_ENDIAN, align: 0)
        try check(JxlEncoderAddImageFrame(settings, &format, samples.baseAddress, samples.count))
    }

    /// Encodes the last frame and returns the file.
    consuming func finish() throws(TintypeError) -> Data {
        JxlEncoderCloseInput(encoder)
        try encodeAddedFrames()
        return data
    }

    /// Encodes the added frames, so that libjxl releases their pixels. Only ``finish()`` may encode the last frame, because
    /// it marks the end of the file.
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

    private static func interleavedSamples(_ pixels: PixelBuffer, channels: Int) -> [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(pixels.size.area * channels)
        for y in 0..<pixels.size.height {
            pixels.withUnsafeRow(y) { row in
                if channels == 4 { return samples.append(contentsOf: row) }
                for offset in stride(from: 0, to: row.count, by: 4) {
                    samples.append(row[offset])
                    samples.append(row[offset + 1])
                    samples.append(row[offset + 2])
                }
            }
        }
        return samples
    }
}

extension JXLWriter.Colors {
    /// Bits per sample.
    fileprivate var depth: UInt32 {
        if case .pq = self { 16 } else { 8 }
    }

    /// The colours as libjxl names them.
    fileprivate var encoding: JxlColorEncoding {
        var encoding = JxlColorEncoding()
        JxlColorEncodingSetToSRGB(&encoding, 0)
        switch self {
        case .standard(.sRGB): break
        case .standard(.displayP3): encoding.primaries = JXL_PRIMARIES_P3
        case .pq: (encoding.primaries, encoding.transfer_function) = (JXL_PRIMARIES_2100, JXL_TRANSFER_FUNCTION_PQ)
        }
        return encoding
    }
}
