import CTintypeJPEG
import Foundation
import TintypeColor
import TintypeCore

/// Reads one complete image with libjpeg.
///
/// Calls come in the order ``open(_:isComplete:)``, ``start(eighths:)``, ``readRows(_:into:stride:)``, ``finish()``.
struct JPEGReader: ~Copyable {
    private let reader: OpaquePointer
    private let hook: CancelHook
    private let limits: DecodeLimits

    /// - Parameter tolerance: The damage to continue past. Only ``finish()`` reports it.
    /// - Throws: `TintypeError.Code.outOfMemory`.
    init(_ context: DecodeContext, tolerating tolerance: tintype_jpeg_tolerance = .nothing) throws(TintypeError) {
        hook = CancelHook(context.isCancelled)
        self.limits = context.limits
        let limits = tintype_jpeg_limits(max_scans: UInt32(clamping: context.limits.scans), max_memory_bytes: 0)
        guard let reader = tintype_jpeg_reader_create(limits, CancelHook.callback, hook.pointer) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for a JPEG decoder")
        }
        tintype_jpeg_reader_set_tolerance(reader, tolerance)
        self.reader = reader
    }

    deinit {
        tintype_jpeg_reader_destroy(reader)
    }

    /// Reads the header.
    ///
    /// - Parameter bytes: Must outlive the reader.
    /// - Returns: `nil` if `bytes` is a prefix that ends too early.
    /// - Throws: `TintypeError.Code.limitExceeded` for too many scans or too much metadata,
    ///   `TintypeError.Code.undecodable`.
    func open(_ bytes: UnsafeRawBufferPointer, isComplete: Bool) throws(TintypeError) -> tintype_jpeg_header? {
        var header = tintype_jpeg_header()
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        // Surveyed before libjpeg copies any of it.
        try limits.check(tintype_jpeg_survey_file(base, bytes.count, UInt32(clamping: limits.scans)))
        let status = tintype_jpeg_reader_open(reader, base, bytes.count, isComplete, &header)
        if status == .needsMore { return nil }
        try check(status)
        return header
    }

    /// Opens a whole file, reads its segments, and checks them against the limits.
    ///
    /// - Parameter bytes: Must outlive the reader and the result.
    /// - Returns: `nil` if the file ends before its first scan.
    /// - Throws: `TintypeError.Code.limitExceeded`, `TintypeError.Code.undecodable`.
    func openWithinLimits(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) -> JPEGFile? {
        guard let header = try open(bytes, isComplete: true) else { return nil }
        let segments = JPEGSegments(bytes)
        let info = ImageInfo(header, segments)
        try limits.check(info, byteCount: bytes.count)
        try limits.checkMemory(bytesPerPixel: header.bytesPerPixel, of: info.size)
        return JPEGFile(header: header, segments: segments, info: info, colors: try segments.colors(limits))
    }

    /// Requests CMYK rows instead of RGBA from a CMYK image.
    func outputCMYK() {
        tintype_jpeg_reader_set_keeps_inks(reader, true)
    }

    /// Starts decoding at `eighths`/8 of the stored size, and returns the output size in pixels.
    func start(eighths: Int) throws(TintypeError) -> PixelSize {
        var (width, height): (UInt32, UInt32) = (0, 0)
        try check(tintype_jpeg_reader_start(reader, UInt32(eighths), &width, &height))
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// Reads up to `count` rows, and returns how many there were; 0 after the last.
    func readRows(_ count: Int, into rows: UnsafeMutableRawBufferPointer, stride: Int) throws(TintypeError) -> Int {
        guard let base = rows.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        var rowsRead: UInt32 = 0
        try check(tintype_jpeg_reader_read_rows(reader, base, stride, UInt32(count), &rowsRead))
        return Int(rowsRead)
    }

    /// Ends the reading.
    ///
    /// - Returns: Whether the image has damage that is tolerated.
    /// - Throws: `TintypeError.Code.undecodable` if the image was damaged otherwise or truncated.
    func finish() throws(TintypeError) -> Bool {
        var isDamaged = false
        try check(tintype_jpeg_reader_finish(reader, &isDamaged))
        return isDamaged
    }

    /// Returns whether it is certain that a file decodes without damage. If not, only decoding can tell.
    ///
    /// All codes of the file are read, but no pixels are made.
    ///
    /// - Parameter bytes: Those that ``open(_:isComplete:)`` received, which has checked the number of scans.
    func isSurelyWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return false }
        return tintype_jpeg_is_surely_whole(base, bytes.count, CancelHook.callback, hook.pointer)
    }

    private func check(_ status: tintype_jpeg_status) throws(TintypeError) {
        guard status != .ok else { return }
        throw TintypeError(status, String(cString: tintype_jpeg_reader_message(reader)))
    }
}

/// A file that has been opened, and is within the limits.
struct JPEGFile {
    let header: tintype_jpeg_header
    let segments: JPEGSegments
    let info: ImageInfo
    let colors: SourceColors

    /// The converter of its rows to sRGB, or `nil` if none is needed.
    var converter: ColorConverter? { header.converter(of: colors) }
}

extension DecodeLimits {
    fileprivate func check(_ survey: tintype_jpeg_survey) throws(TintypeError) {
        try check(exifBytes: survey.exif_bytes)
        try check(profileBytes: survey.profile_bytes)
        guard survey.scans <= scans else { throw .exceeded(.scans, "a JPEG with more than \(scans) scans") }
    }
}

extension TintypeError {
    init(_ status: tintype_jpeg_status, _ reason: String) {
        switch status {
        case .cancelled: self = .cancelled
        case .limit: self = .exceeded(.library, "the JPEG exceeds the limits: \(reason)")
        case .memory: self.init(.outOfMemory, stage: .decode, "not enough memory to decode a JPEG")
        case .truncated, .needsMore: self.init(.undecodable, stage: .decode, "the JPEG is truncated")
        case .unsupported: self.init(.undecodable, stage: .decode, "the JPEG uses an unsupported feature: \(reason)")
        case .corrupt, .misuse, .ok, .ended: self.init(.undecodable, stage: .decode, "the JPEG is damaged: \(reason)")
        }
    }
}
