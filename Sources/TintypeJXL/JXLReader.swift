import CLibJXL
import Foundation
import TintypeColor
import TintypeCore

/// libjxl reading one file, with one thread. It stops at the events that it was made for.
struct JXLReader: ~Copyable {
    let decoder: OpaquePointer
    private var bytes: UnsafeRawBufferPointer
    private let isComplete: Bool
    /// How many of the bytes libjxl has been shown.
    private var shown = 0
    /// How many bytes at the end of a prefix libjxl wants to see again, when there are more: few.
    private(set) var unread = 0

    /// Bytes that libjxl is shown between two questions whether to go on.
    private static let step = 256 << 10

    /// - Parameters:
    ///   - bytes: must outlive the reader, or stay until it is given others.
    ///   - events: a sum of `JXL_DEC_` events.
    init(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool, events: JxlDecoderStatus...
    ) throws(TintypeError) {
        guard let decoder = JxlDecoderCreate(nil) else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a JPEG XL decoder")
        }
        self.decoder = decoder
        self.bytes = bytes
        self.isComplete = isComplete
        JxlDecoderSubscribeEvents(decoder, events.reduce(0) { $0 | Int32($1.rawValue) })
        // It is turned upright here, once, as all formats are.
        JxlDecoderSetKeepOrientation(decoder, 1)
    }

    deinit {
        JxlDecoderDestroy(decoder)
    }

    // MARK: Events

    /// Goes on to the next event; `nil` when the bytes are a prefix that ends before it.
    mutating func next(isCancelled: () -> Bool = { false }) throws(TintypeError) -> JxlDecoderStatus? {
        while true {
            guard !isCancelled() else { throw .cancelled }
            switch JxlDecoderProcessInput(decoder) {
            case JXL_DEC_ERROR: throw .damagedJXL
            case JXL_DEC_NEED_MORE_INPUT:
                guard try showMore() else {
                    if isComplete { throw .truncatedJXL }
                    return nil
                }
            case let event: return event
            }
        }
    }

    /// Shows libjxl more bytes; returns whether there were any.
    private mutating func showMore() throws(TintypeError) -> Bool {
        let left = JxlDecoderReleaseInput(decoder)
        unread = left
        guard shown < bytes.count, let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return false }
        let start = shown - left
        shown = min(shown + Self.step, bytes.count)
        guard JxlDecoderSetInput(decoder, base + start, shown - start) == JXL_DEC_SUCCESS else { throw .damagedJXL }
        if shown == bytes.count && isComplete { JxlDecoderCloseInput(decoder) }
        return true
    }

    /// Goes on where a prefix has ended.
    ///
    /// - Parameter bytes: the last ``unread`` ones of the prefix, and what follows it.
    mutating func goOn(with bytes: UnsafeRawBufferPointer) {
        (self.bytes, shown) = (bytes, 0)
    }

    /// Passes over frames that are shown, which are decoded only as far as later ones need them.
    func skip(_ count: Int) {
        JxlDecoderSkipFrames(decoder, count)
    }

    // MARK: What it says

    func header() throws(TintypeError) -> JxlBasicInfo {
        var info = JxlBasicInfo()
        guard JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS else { throw .damagedJXL }
        // Each costs four bytes a pixel while it is decoded.
        guard info.num_extra_channels <= Self.mostExtraChannels else {
            throw .exceeded(.library, "a JPEG XL of \(info.num_extra_channels) extra channels")
        }
        return info
    }

    private static let mostExtraChannels = 8

    func frameHeader() throws(TintypeError) -> JxlFrameHeader {
        var header = JxlFrameHeader()
        guard JxlDecoderGetFrameHeader(decoder, &header) == JXL_DEC_SUCCESS else { throw .damagedJXL }
        return header
    }

    // MARK: Colours

    /// What the samples will mean, once libjxl has read it; asks for what is most use, where libjxl is free to choose.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for a profile that is too large.
    func colors(keepsRange: Bool, _ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        var wanted = JxlColorEncoding()
        let hasCodes = encoding(JXL_COLOR_PROFILE_TARGET_ORIGINAL, &wanted)
        if !hasCodes || !(keepsRange || wanted.coded.isHighRange) { JxlColorEncodingSetToSRGB(&wanted, 0) }
        // Refused where the samples are stored as they are shown.
        JxlDecoderSetPreferredColorProfile(decoder, &wanted)
        var own = JxlColorEncoding()
        if encoding(JXL_COLOR_PROFILE_TARGET_DATA, &own), own.isStandard || own.coded.isHighRange {
            return own.isStandard ? .standard : own.coded
        }
        return try profile(limits)
    }

    private func encoding(_ target: JxlColorProfileTarget, _ encoding: inout JxlColorEncoding) -> Bool {
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

    /// Has the next frame written to rows at multiples of 64 bytes, which must stay until then.
    func setTarget(_ rows: UnsafeMutableRawBufferPointer, isWide: Bool) throws(TintypeError) {
        var format = JxlPixelFormat(
            num_channels: 4, data_type: isWide ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN,
            align: 64)
        var size = 0
        guard JxlDecoderImageOutBufferSize(decoder, &format, &size) == JXL_DEC_SUCCESS, size <= rows.count,
            JxlDecoderSetImageOutBuffer(decoder, &format, rows.baseAddress, rows.count) == JXL_DEC_SUCCESS
        else { throw .damagedJXL }
    }

    /// Writes to the target what there is of a frame when a prefix has ended; returns whether there is anything.
    func flush() -> Bool { JxlDecoderFlushImage(decoder) == JXL_DEC_SUCCESS }
}

extension JxlColorEncoding {
    fileprivate var isStandard: Bool {
        transfer_function == JXL_TRANSFER_FUNCTION_SRGB && white_point == JXL_WHITE_POINT_D65
            && (color_space == JXL_COLOR_SPACE_GRAY || primaries == JXL_PRIMARIES_SRGB)
    }

    /// By the numbers of ITU-T H.273, which libjxl's are but for those of P3 with a white of daylight.
    fileprivate var coded: SourceColors {
        let isDaylightP3 = primaries == JXL_PRIMARIES_P3 && white_point == JXL_WHITE_POINT_D65
        return .codePoints(
            primaries: isDaylightP3 ? 12 : Int(primaries.rawValue), transfer: Int(transfer_function.rawValue))
    }
}

extension JXLReader {
    /// The Exif data of a whole file, which lie in a box of its container, compressed or not (ISO/IEC 18181-2, 9.4 and 9.6).
    ///
    /// - Returns: `nil` where there are none, and where they are damaged: that is no reason to show no picture.
    /// - Throws: ``TintypeError/Code/limitExceeded`` for too many bytes.
    static func exif(of bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) -> ExifData? {
        // Those that are no container begin with a code that no box has.
        guard bytes.first == 0 else { return nil }
        do throws(TintypeError) {
            var reader = try JXLReader(bytes, isComplete: true, events: JXL_DEC_BOX)
            JxlDecoderSetDecompressBoxes(reader.decoder, 1)
            while try reader.next() == JXL_DEC_BOX {
                if reader.boxType == "Exif" { return ExifData(item: try reader.boxContents(limits)) }
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

    /// What is in the box whose beginning was found, a piece at a time, so that a compressed one claims no more than is
    /// allowed.
    private mutating func boxContents(_ limits: DecodeLimits) throws(TintypeError) -> Data {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { room.deallocate() }
        var contents = Data()
        while true {
            let base = room.bindMemory(to: UInt8.self).baseAddress
            guard JxlDecoderSetBoxBuffer(decoder, base, room.count) == JXL_DEC_SUCCESS else { throw .damagedJXL }
            let event = try next()
            contents.append(contentsOf: room[..<(room.count - JxlDecoderReleaseBoxBuffer(decoder))])
            try limits.check(exifBytes: contents.count)
            if event != JXL_DEC_BOX_NEED_MORE_OUTPUT { return contents }
        }
    }
}

extension TintypeError {
    static let truncatedJXL = TintypeError(.undecodable, stage: .decode, "the JPEG XL is cut short")
    static let damagedJXL = TintypeError(.undecodable, stage: .decode, "the JPEG XL is damaged or cut short")
}
