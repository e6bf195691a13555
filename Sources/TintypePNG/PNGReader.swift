import CTintypePNG
import Foundation
import TintypeColor
import TintypeCore

/// libpng reading one picture.
struct PNGReader: ~Copyable {
    private let reader: OpaquePointer
    private let hook: CancelHook

    init(_ context: DecodeContext) throws(TintypeError) {
        hook = CancelHook(context.isCancelled)
        let limits = tintype_png_limits(context.limits)
        guard let reader = tintype_png_reader_create(limits, CancelHook.ask, hook.pointer) else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a PNG decoder")
        }
        self.reader = reader
    }

    deinit {
        tintype_png_reader_destroy(reader)
    }

    /// The header; `nil` when the bytes are a prefix that ends too early.
    func open(_ bytes: UnsafeRawBufferPointer, isComplete: Bool) throws(TintypeError) -> tintype_png_header? {
        var header = tintype_png_header()
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        let status = tintype_png_reader_open(reader, base, bytes.count, isComplete, &header)
        if status == .needsMore { return nil }
        if status == .limit, let limit = DecodeLimit(header.exceeded) {
            throw .exceeded(limit, "a PNG with more bytes of metadata than are allowed")
        }
        try check(status)
        return header
    }

    /// Readies the rows, of 8 bits a channel or of 16.
    func start(isWide: Bool = false) throws(TintypeError) {
        try check(tintype_png_reader_start(reader, isWide))
    }

    /// Fills as many of `count` rows as there are left, straight; not for interlaced pictures.
    func readRows(_ count: Int, into rows: UnsafeMutableRawBufferPointer, stride: Int) throws(TintypeError) -> Int {
        guard let base = rows.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        var rowsRead: UInt32 = 0
        try check(tintype_png_reader_read_rows(reader, base, stride, UInt32(count), &rowsRead))
        return Int(rowsRead)
    }

    /// Fills all rows, straight.
    func readImage(into rows: UnsafeMutableRawBufferPointer, stride: Int) throws(TintypeError) {
        guard let base = rows.bindMemory(to: UInt8.self).baseAddress else { return }
        try check(tintype_png_reader_read_image(reader, base, stride))
    }

    /// The whole picture, once it is started.
    func whole(_ header: tintype_png_header, _ converter: ColorConverter?) throws(TintypeError) -> PixelBuffer {
        let size = PixelSize(width: Int(header.width), height: Int(header.height))
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        try writer.withRows { rows throws(TintypeError) in try readImage(into: rows, stride: stride) }
        writer.convert(rows: size.height, by: converter)
        if header.has_alpha { writer.premultiply(rows: size.height) }
        return writer.finish()
    }

    /// - Throws: ``TintypeError/Code/undecodable`` when the picture was not whole.
    func finish() throws(TintypeError) {
        try check(tintype_png_reader_finish(reader))
    }

    private func check(_ status: tintype_png_status) throws(TintypeError) {
        guard status != .ok else { return }
        throw TintypeError(status, String(cString: tintype_png_reader_message(reader)))
    }
}

extension tintype_png_limits {
    /// Chunks that libpng may keep: what honest files never reach.
    private static let mostChunks: UInt32 = 1000

    init(_ limits: DecodeLimits) {
        // 0 would be any number.
        self.init(
            max_chunk_bytes: max(limits.chunkBytes, 1), max_text_bytes: max(limits.textBytes, 1),
            max_profile_bytes: max(limits.profileBytes, 1), max_exif_bytes: max(limits.exifBytes, 1),
            max_cached_chunks: Self.mostChunks)
    }
}

extension DecodeLimit {
    fileprivate init?(_ bound: tintype_png_bound) {
        switch bound {
        case .none: return nil
        case .chunk: self = .chunkBytes
        case .text: self = .textBytes
        case .profile: self = .profileBytes
        case .exif: self = .exifBytes
        }
    }
}

extension TintypeError {
    init(_ status: tintype_png_status, _ reason: String) {
        switch status {
        case .cancelled: self = .cancelled
        case .limit: self = .exceeded(.library, "a PNG beyond the limits: \(reason)")
        case .memory: self.init(.outOfMemory, stage: .decode, "no memory to decode a PNG")
        case .truncated, .needsMore: self.init(.undecodable, stage: .decode, "the PNG is cut short")
        case .unsupported: self.init(.undecodable, stage: .decode, "a PNG of an unsupported kind: \(reason)")
        case .corrupt, .misuse, .ok: self.init(.undecodable, stage: .decode, "the PNG is damaged: \(reason)")
        }
    }
}

extension PNGReader {
    /// The picture of 16 bits a channel, once it is started so. One that is interlaced is whole in memory meanwhile.
    func wide(_ header: tintype_png_header, _ rows: WideRows) throws(TintypeError) -> WideImage {
        let stride = Int(header.width) * 8
        guard header.is_interlaced else {
            return try rows.image { (_, count, words) throws(TintypeError) in
                _ = try readRows(count, into: UnsafeMutableRawBufferPointer(words), stride: stride)
            }
        }
        var whole = try HighRangePixels.writer(PixelSize(width: Int(header.width), height: Int(header.height)))
        let wholeStride = whole.bytesPerRow
        try whole.withRows { bytes throws(TintypeError) in try readImage(into: bytes, stride: wholeStride) }
        let pixels = whole.finish()
        return try rows.image { (first, count, words) in words.copyRows(first..<first + count, of: pixels) }
    }
}
