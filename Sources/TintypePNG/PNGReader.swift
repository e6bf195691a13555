import CTintypePNG
import Foundation
import TintypeColor
import TintypeCore

/// Reads one image with libpng.
///
/// Calls come in the order ``open(_:isComplete:)``, ``start(isWide:)``, the reading of rows, ``finish()``.
struct PNGReader: ~Copyable {
    private let reader: OpaquePointer
    private let hook: CancelHook

    /// - Throws: `TintypeError.Code.outOfMemory`.
    init(_ context: DecodeContext) throws(TintypeError) {
        hook = CancelHook(context.isCancelled)
        let limits = tintype_png_limits(context.limits)
        guard let reader = tintype_png_reader_create(limits, CancelHook.callback, hook.pointer) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for a PNG decoder")
        }
        self.reader = reader
    }

    deinit {
        tintype_png_reader_destroy(reader)
    }

    /// Reads the header.
    ///
    /// - Parameter bytes: Must outlive the reader.
    /// - Returns: `nil` if `bytes` is a prefix that ends too early.
    /// - Throws: `TintypeError.Code.limitExceeded` for too much metadata, `TintypeError.Code.undecodable`.
    func open(_ bytes: UnsafeRawBufferPointer, isComplete: Bool) throws(TintypeError) -> tintype_png_header? {
        var header = tintype_png_header()
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        let status = tintype_png_reader_open(reader, base, bytes.count, isComplete, &header)
        if status == .needsMore { return nil }
        if status == .limit, let limit = DecodeLimit(header.exceeded) {
            throw .exceeded(limit, "a PNG with more bytes of metadata than allowed")
        }
        try check(status)
        return header
    }

    /// Starts the reading of rows with 8 bits per channel, or with 16 if `isWide` is true.
    func start(isWide: Bool = false) throws(TintypeError) {
        try check(tintype_png_reader_start(reader, isWide))
    }

    /// Reads up to `count` straight rows, and returns how many there were. Not for interlaced images.
    func readRows(_ count: Int, into rows: UnsafeMutableRawBufferPointer, stride: Int) throws(TintypeError) -> Int {
        guard let base = rows.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        var rowsRead: UInt32 = 0
        try check(tintype_png_reader_read_rows(reader, base, stride, UInt32(count), &rowsRead))
        return Int(rowsRead)
    }

    /// Reads all rows, straight.
    func readImage(into rows: UnsafeMutableRawBufferPointer, stride: Int) throws(TintypeError) {
        guard let base = rows.bindMemory(to: UInt8.self).baseAddress else { return }
        try check(tintype_png_reader_read_image(reader, base, stride))
    }

    /// Reads all rows as premultiplied sRGB.
    func readPixels(_ header: tintype_png_header, _ converter: ColorConverter?) throws(TintypeError) -> PixelBuffer {
        let size = PixelSize(width: Int(header.width), height: Int(header.height))
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        try writer.withRows { rows throws(TintypeError) in try readImage(into: rows, stride: stride) }
        writer.convert(rows: size.height, by: converter)
        if header.has_alpha { writer.premultiply(rows: size.height) }
        return writer.finish()
    }

    /// Ends the reading.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the image was damaged or truncated.
    func finish() throws(TintypeError) {
        try check(tintype_png_reader_finish(reader))
    }

    private func check(_ status: tintype_png_status) throws(TintypeError) {
        guard status != .ok else { return }
        throw TintypeError(status, String(cString: tintype_png_reader_message(reader)))
    }
}

extension tintype_png_limits {
    /// The number of chunks that libpng may keep. Normal files never reach it.
    private static let maximumCachedChunks: UInt32 = 1000

    init(_ limits: DecodeLimits) {
        // libpng takes 0 for no limit.
        self.init(
            max_profile_bytes: max(limits.profileBytes, 1), max_exif_bytes: max(limits.exifBytes, 1),
            max_cached_chunks: Self.maximumCachedChunks)
    }
}

extension DecodeLimit {
    fileprivate init?(_ bound: tintype_png_bound) {
        switch bound {
        case .none: return nil
        case .profile: self = .profileBytes
        case .exif: self = .exifBytes
        }
    }
}

extension TintypeError {
    init(_ status: tintype_png_status, _ reason: String) {
        switch status {
        case .cancelled: self = .cancelled
        case .limit: self = .exceeded(.library, "the PNG exceeds the limits: \(reason)")
        case .memory: self.init(.outOfMemory, stage: .decode, "not enough memory to decode a PNG")
        case .truncated, .needsMore: self.init(.undecodable, stage: .decode, "the PNG is truncated")
        case .unsupported: self.init(.undecodable, stage: .decode, "the PNG uses an unsupported feature: \(reason)")
        case .corrupt, .misuse, .ok: self.init(.undecodable, stage: .decode, "the PNG is damaged: \(reason)")
        }
    }
}

extension PNGReader {
    /// Reads all rows with 16 bits per channel. An interlaced image is held in memory as a whole meanwhile.
    ///
    /// - Precondition: The reader was started with `isWide`.
    func readWideImage(_ header: tintype_png_header, _ rows: WideRows) throws(TintypeError) -> WideImage {
        let stride = Int(header.width) * 8
        guard header.is_interlaced else {
            return try rows.image { (_, count, words) throws(TintypeError) in
                _ = try readRows(count, into: UnsafeMutableRawBufferPointer(words), stride: stride)
            }
        }
        var interlaced = try HighRangePixels.writer(PixelSize(width: Int(header.width), height: Int(header.height)))
        let interlacedStride = interlaced.bytesPerRow
        try interlaced.withRows { bytes throws(TintypeError) in try readImage(into: bytes, stride: interlacedStride) }
        let pixels = interlaced.finish()
        return try rows.image { (first, count, words) in words.copyRows(first..<first + count, of: pixels) }
    }
}
