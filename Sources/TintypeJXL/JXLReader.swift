import CLibJXL
import Foundation
import TintypeColor
import TintypeCore

/// Reads one file with libjxl. It stops at the events to which it is subscribed.
///
/// Not thread-safe: use it from one thread at a time.
struct JXLReader: ~Copyable {
    let decoder: OpaquePointer
    private var bytes: UnsafeRawBufferPointer
    private let isComplete: Bool
    /// The number of bytes that libjxl has received.
    private var providedCount = 0
    /// The number of bytes at the end of a prefix, usually few, that libjxl needs again in front of the next ones.
    private(set) var unreadCount = 0

    /// The number of bytes that libjxl receives between two checks for cancellation.
    private let inputStep: Int

    /// For files whose pixels are decoded: libjxl returns only when it needs more bytes, and a layer of a million
    /// pixels may be coded in a hundred bytes. Smaller steps cost no measurable time.
    static let pixelStep = 256
    /// For all others, and for pixels where a host ends the process.
    static let defaultStep = 256 << 10

    /// Creates a reader at the start of a file.
    ///
    /// - Parameters:
    ///   - bytes: The file or its first bytes. They must outlive the reader, or stay valid until ``resume(with:)``.
    ///   - isComplete: Whether `bytes` are the whole file.
    ///   - inputStep: The number of bytes between two checks for cancellation.
    ///   - threads: The number of threads, with the calling one.
    ///   - events: The `JXL_DEC_` events at which the reader stops.
    /// - Throws: `TintypeError.Code.outOfMemory`.
    init(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool, inputStep: Int = defaultStep, threads: Int = 1,
        events: JxlDecoderStatus...
    ) throws(TintypeError) {
        try JXLLibrary.load()
        guard let decoder = JxlDecoderCreate(nil) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for a JPEG XL decoder")
        }
        self.decoder = decoder
        self.bytes = bytes
        self.isComplete = isComplete
        self.inputStep = inputStep
        JxlDecoderSubscribeEvents(decoder, events.reduce(0) { $0 | Int32($1.rawValue) })
        if threads > 1 { JxlDecoderSetParallelRunner(decoder, JXLThreads.run, JXLThreads.context(threads)) }
        // Pixels are rotated after resampling, as for all formats.
        JxlDecoderSetKeepOrientation(decoder, 1)
    }

    deinit {
        JxlDecoderDestroy(decoder)
    }

    // MARK: Events

    /// Decodes up to the next event.
    ///
    /// - Returns: The event; `nil` if the bytes are a prefix that ends before it.
    /// - Throws: `TintypeError.Code.undecodable`; `TintypeError.cancelled`.
    mutating func nextEvent(isCancelled: () -> Bool = { false }) throws(TintypeError) -> JxlDecoderStatus? {
        while true {
            guard !isCancelled() else { throw .cancelled }
            switch JxlDecoderProcessInput(decoder) {
            case JXL_DEC_ERROR: throw .damagedJXL
            case JXL_DEC_NEED_MORE_INPUT:
                guard try provideInput() else {
                    if isComplete { throw .truncatedJXL }
                    return nil
                }
            case let event: return event
            }
        }
    }

    /// Passes more bytes to libjxl; returns whether any were left.
    private mutating func provideInput() throws(TintypeError) -> Bool {
        let left = JxlDecoderReleaseInput(decoder)
        unreadCount = left
        guard providedCount < bytes.count, let base = bytes.bindMemory(to: UInt8.self).baseAddress else {
            return false
        }
        let start = providedCount - left
        providedCount = min(providedCount + inputStep, bytes.count)
        guard JxlDecoderSetInput(decoder, base + start, providedCount - start) == JXL_DEC_SUCCESS else {
            throw .damagedJXL
        }
        if providedCount == bytes.count && isComplete { JxlDecoderCloseInput(decoder) }
        return true
    }

    /// Continues after a prefix.
    ///
    /// - Parameter bytes: The last ``unreadCount`` bytes of the prefix and those after it.
    mutating func resume(with bytes: UnsafeRawBufferPointer) {
        (self.bytes, providedCount) = (bytes, 0)
    }

    /// Skips shown frames. libjxl decodes them only as far as later ones need them.
    func skipFrames(_ count: Int) {
        JxlDecoderSkipFrames(decoder, count)
    }

    // MARK: Properties

    /// Returns the image header, after `JXL_DEC_BASIC_INFO`.
    func header() throws(TintypeError) -> JxlBasicInfo {
        var info = JxlBasicInfo()
        guard JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS else { throw .damagedJXL }
        return info
    }

    /// Returns the header of a frame, after `JXL_DEC_FRAME`.
    func frameHeader() throws(TintypeError) -> JxlFrameHeader {
        var header = JxlFrameHeader()
        guard JxlDecoderGetFrameHeader(decoder, &header) == JXL_DEC_SUCCESS else { throw .damagedJXL }
        return header
    }

    // MARK: Colours

    /// Chooses the colour encoding of the output, after `JXL_DEC_COLOR_ENCODING`, and returns it. Where libjxl can
    /// convert, it is asked for sRGB, or for the encoding of the file if that has a high range.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` for a profile that is too large.
    func colors(keepsRange: Bool, _ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        var preferred = JxlColorEncoding()
        let isEncoded = readEncoding(JXL_COLOR_PROFILE_TARGET_ORIGINAL, &preferred)
        if !isEncoded || !(keepsRange || preferred.colors.isHighRange) { JxlColorEncodingSetToSRGB(&preferred, 0) }
        // libjxl ignores this where it stores samples in the colours of the file.
        JxlDecoderSetPreferredColorProfile(decoder, &preferred)
        var output = JxlColorEncoding()
        if readEncoding(JXL_COLOR_PROFILE_TARGET_DATA, &output), output.isStandard || output.colors.isHighRange {
            return output.isStandard ? .standard : output.colors
        }
        return try profile(limits)
    }

    private func readEncoding(_ target: JxlColorProfileTarget, _ encoding: inout JxlColorEncoding) -> Bool {
        JxlDecoderGetColorAsEncodedProfile(decoder, nil, target, &encoding) == JXL_DEC_SUCCESS
    }

    private func profile(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        var count = 0
        guard JxlDecoderGetICCProfileSize(decoder, nil, JXL_COLOR_PROFILE_TARGET_DATA, &count) == JXL_DEC_SUCCESS
        else { return .standard }
        try limits.check(profileBytes: count)
        var profile = Data(count: count)
        let status = profile.withUnsafeMutableBytes { bytes in
            JxlDecoderGetColorAsICCProfile(
                decoder, nil, JXL_COLOR_PROFILE_TARGET_DATA, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        return status == JXL_DEC_SUCCESS ? .profile(profile) : .standard
    }

    // MARK: Pixels

    /// Sets the buffer for the next frame: RGBA rows aligned to 64 bytes, which must stay valid until it is complete.
    ///
    /// - Parameter isWide: Whether channels are 16-bit words instead of bytes.
    func setOutput(_ rows: UnsafeMutableRawBufferPointer, isWide: Bool) throws(TintypeError) {
        var format = JxlPixelFormat(
            num_channels: 4, data_type: isWide ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN,
            align: 64)
        var size = 0
        guard JxlDecoderImageOutBufferSize(decoder, &format, &size) == JXL_DEC_SUCCESS, size <= rows.count,
            JxlDecoderSetImageOutBuffer(decoder, &format, rows.baseAddress, rows.count) == JXL_DEC_SUCCESS
        else { throw .damagedJXL }
    }

    /// Renders what has arrived of a frame to the output; returns whether anything has.
    func flush() -> Bool { JxlDecoderFlushImage(decoder) == JXL_DEC_SUCCESS }
}

extension JxlColorEncoding {
    fileprivate var isStandard: Bool {
        transfer_function == JXL_TRANSFER_FUNCTION_SRGB && white_point == JXL_WHITE_POINT_D65
            && (color_space == JXL_COLOR_SPACE_GRAY || primaries == JXL_PRIMARIES_SRGB)
    }

    /// The code points of ITU-T H.273. Those of libjxl are equal except for P3 with a D65 white point.
    fileprivate var colors: SourceColors {
        let isDaylightP3 = primaries == JXL_PRIMARIES_P3 && white_point == JXL_WHITE_POINT_D65
        return .codePoints(
            primaries: isDaylightP3 ? 12 : Int(primaries.rawValue), transfer: Int(transfer_function.rawValue))
    }
}

extension JXLReader {
    /// Reads the Exif data of a whole file from its box, which may be compressed (ISO/IEC 18181-2, 9.4 and 9.6).
    ///
    /// - Returns: `nil` if there is none, or if it is damaged: the image can still be shown.
    /// - Throws: `TintypeError.Code.limitExceeded` if it is too large.
    static func exif(of bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) -> ExifData? {
        try box("Exif", of: bytes, limits).flatMap { ExifData(item: $0) }
    }

    /// Returns the contents of the first box of a type; `nil` if there is none.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` above ``DecodeLimits/exifBytes``.
    static func box(
        _ type: String, of bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits
    ) throws(TintypeError) -> Data? {
        // A bare codestream begins with FF, a container with the length of its first box.
        guard bytes.first == 0 else { return nil }
        do throws(TintypeError) {
            var reader = try JXLReader(bytes, isComplete: true, events: JXL_DEC_BOX)
            JxlDecoderSetDecompressBoxes(reader.decoder, 1)
            while try reader.nextEvent() == JXL_DEC_BOX {
                if reader.boxType == type { return try reader.readBox(limits) }
            }
            return nil
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }

    private var boxType: String {
        var type: (CChar, CChar, CChar, CChar) = (0, 0, 0, 0)
        return withUnsafeMutableBytes(of: &type) { letters in
            _ = letters.bindMemory(to: CChar.self).baseAddress.map { JxlDecoderGetBoxType(decoder, $0, 1) }
            return String(decoding: letters, as: UTF8.self)
        }
    }

    /// Reads the box that was just announced, piece by piece, so that a compressed one cannot exceed the limit.
    private mutating func readBox(_ limits: DecodeLimits) throws(TintypeError) -> Data {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { buffer.deallocate() }
        var contents = Data()
        while true {
            let base = buffer.bindMemory(to: UInt8.self).baseAddress
            guard JxlDecoderSetBoxBuffer(decoder, base, buffer.count) == JXL_DEC_SUCCESS else { throw .damagedJXL }
            let event = try nextEvent()
            contents.append(contentsOf: buffer[..<(buffer.count - JxlDecoderReleaseBoxBuffer(decoder))])
            try limits.check(exifBytes: contents.count)
            if event != JXL_DEC_BOX_NEED_MORE_OUTPUT { return contents }
        }
    }
}

extension TintypeError {
    static let truncatedJXL = TintypeError(.undecodable, stage: .decode, "the JPEG XL is truncated")
    static let damagedJXL = TintypeError(.undecodable, stage: .decode, "the JPEG XL is damaged or truncated")
}
