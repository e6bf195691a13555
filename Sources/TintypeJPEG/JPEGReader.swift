import CTintypeJPEG
import Foundation
import TintypeCore

/// libjpeg reading one whole picture.
struct JPEGReader: ~Copyable {
    private let reader: OpaquePointer
    private let hook: CancelHook
    private let limits: DecodeLimits

    init(_ context: DecodeContext) throws(TintypeError) {
        hook = CancelHook(context.isCancelled)
        self.limits = context.limits
        let limits = tintype_jpeg_limits(max_scans: UInt32(clamping: context.limits.scans), max_memory_bytes: 0)
        guard let reader = tintype_jpeg_reader_create(limits, CancelHook.ask, hook.pointer) else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a JPEG decoder")
        }
        self.reader = reader
    }

    deinit {
        tintype_jpeg_reader_destroy(reader)
    }

    /// The header; `nil` when the bytes are a prefix that ends too early.
    ///
    /// - Parameter bytes: must outlive the reader.
    func open(_ bytes: UnsafeRawBufferPointer, isComplete: Bool) throws(TintypeError) -> tintype_jpeg_header? {
        var header = tintype_jpeg_header()
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        // Before libjpeg keeps anything of it.
        try limits.check(tintype_jpeg_survey_file(base, bytes.count, UInt32(clamping: limits.scans)))
        let status = tintype_jpeg_reader_open(reader, base, bytes.count, isComplete, &header)
        if status == .needsMore { return nil }
        try check(status)
        return header
    }

    /// Has a picture of inks read as such, rather than as RGBA.
    func keepInks() {
        tintype_jpeg_reader_set_keeps_inks(reader, true)
    }

    /// Reads on past damage, which then only ``finish()`` tells of. To be called before ``open(_:isComplete:)``.
    func tolerateDamage() {
        tintype_jpeg_reader_set_tolerates_damage(reader, true)
    }

    /// Readies the rows, at `eighths`/8 of the stored size; returns the size they will have.
    func start(eighths: Int) throws(TintypeError) -> PixelSize {
        var (width, height): (UInt32, UInt32) = (0, 0)
        try check(tintype_jpeg_reader_start(reader, UInt32(eighths), &width, &height))
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// Fills as many of `count` rows as there are left.
    func readRows(_ count: Int, into rows: UnsafeMutableRawBufferPointer, stride: Int) throws(TintypeError) -> Int {
        guard let base = rows.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        var rowsRead: UInt32 = 0
        try check(tintype_jpeg_reader_read_rows(reader, base, stride, UInt32(count), &rowsRead))
        return Int(rowsRead)
    }

    /// - Throws: ``TintypeError/Code/undecodable`` when the picture was not whole.
    func finish() throws(TintypeError) {
        try check(tintype_jpeg_reader_finish(reader))
    }

    private func check(_ status: tintype_jpeg_status) throws(TintypeError) {
        guard status != .ok else { return }
        throw TintypeError(status, String(cString: tintype_jpeg_reader_message(reader)))
    }
}

extension DecodeLimits {
    fileprivate func check(_ survey: tintype_jpeg_survey) throws(TintypeError) {
        try check(exifBytes: survey.exif_bytes)
        try check(profileBytes: survey.profile_bytes)
        guard survey.scans <= scans else { throw .exceeded(.scans, "more than \(scans) scans") }
    }
}

extension TintypeError {
    init(_ status: tintype_jpeg_status, _ reason: String) {
        switch status {
        case .cancelled: self = .cancelled
        case .limit: self = .exceeded(.library, "a JPEG beyond the limits: \(reason)")
        case .memory: self.init(.outOfMemory, stage: .decode, "no memory to decode a JPEG")
        case .truncated, .needsMore: self.init(.undecodable, stage: .decode, "the JPEG is cut short")
        case .unsupported: self.init(.undecodable, stage: .decode, "a JPEG of an unsupported kind: \(reason)")
        case .corrupt, .misuse, .ok, .ended: self.init(.undecodable, stage: .decode, "the JPEG is damaged: \(reason)")
        }
    }
}
