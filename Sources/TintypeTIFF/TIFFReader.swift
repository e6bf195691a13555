import CTintypeTIFF
import Foundation
import TintypeColor
import TintypeCore

/// Reads the first image of a complete file with libtiff.
struct TIFFReader: ~Copyable {
    private let reader: OpaquePointer
    private let header: tintype_tiff_header

    /// Opens a file and reads its first directory.
    ///
    /// - Parameter bytes: Must outlive the reader.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded` if the profile is too large.
    init(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) {
        var header = tintype_tiff_header()
        var reader: OpaquePointer?
        var message = [CChar](repeating: 0, count: 200)
        let status = bytes.bindMemory(to: UInt8.self).baseAddress.map {
            tintype_tiff_open(
                $0, bytes.count, Self.maximumAllocation(limits), &header, &reader, &message, message.count)
        }
        guard status == .ok, let reader else {
            throw TintypeError(status ?? .corrupt, String(cText: message))
        }
        do throws(TintypeError) {
            try limits.check(profileBytes: Int(header.profile_bytes))
        } catch {
            tintype_tiff_close(reader)
            throw error
        }
        self.reader = reader
        self.header = header
    }

    deinit {
        tintype_tiff_close(reader)
    }

    /// The information that the directory states.
    var info: ImageInfo {
        let orientation = Orientation(rawValue: Int(header.orientation)) ?? .up
        let stored = PixelSize(width: Int(header.width), height: Int(header.height))
        var info = ImageInfo(
            format: .tiff, size: orientation.displayed(stored), orientation: orientation, hasAlpha: header.has_alpha,
            density: PixelDensity(across: header.density_across, down: header.density_down))
        info.bitDepth = max(info.bitDepth, Int(header.bits))
        return info
    }

    /// Whether rows of a fax that were read so far were damaged, so that some of their pixels are wrong.
    var hasDamagedRows: Bool { tintype_tiff_has_damaged_rows(reader) }

    /// Whether the image has more than 8 bits per channel, which libtiff's conversion to 8 bits loses or does not
    /// support.
    var isWide: Bool { header.bits > 8 }
    /// Whether the image is CMYK with further samples, which libtiff's conversion ignores or refuses.
    var hasExtraInks: Bool { header.has_extra_inks }
    /// The channels of the image; CMYK is reported by ``startSamples()``.
    var channels: SourceChannels { header.is_grey ? .grey : .rgb }

    /// Returns the colours that the file states.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` if the profile is too large.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        guard let profile = header.profile, Int(header.profile_bytes) > 0 else { return .standard }
        try limits.check(profileBytes: Int(header.profile_bytes))
        return .profile(Data(bytes: profile, count: Int(header.profile_bytes)))
    }

    /// Starts the reading of 8-bit RGBA rows.
    func start() throws(TintypeError) {
        try check(tintype_tiff_start(reader))
    }

    /// Starts the reading of rows of 16-bit samples, and returns their kind, or `nil` if the image cannot be read so.
    func startSamples() -> tintype_tiff_kind? {
        var kind = tintype_tiff_kind.colors
        return tintype_tiff_start_samples(reader, &kind) == .ok ? kind : nil
    }

    /// Reads 16-bit samples.
    ///
    /// - Parameters:
    ///   - rows: The rows; the first is a multiple of ``batchHeight``.
    ///   - words: The target, of four words per pixel.
    ///   - alpha: The target for the alpha of CMYK, of a word per pixel; empty to ignore it.
    func readSamples(
        _ rows: Range<Int>, into words: UnsafeMutableBufferPointer<UInt16>,
        alpha: UnsafeMutableBufferPointer<UInt16> = UnsafeMutableBufferPointer(start: nil, count: 0)
    ) throws(TintypeError) {
        let count = rows.count * Int(header.width)
        guard let base = words.baseAddress, words.count >= count * 4 else { return }
        let apart = alpha.count >= count ? alpha.baseAddress : nil
        try check(tintype_tiff_read_samples(reader, UInt32(rows.lowerBound), UInt32(rows.count), base, apart))
    }

    /// The number of rows to read at once: a multiple of the rows that are compressed together, and enough to be worth
    /// a call.
    var batchHeight: Int {
        let rowsPerBatch = Int(header.rows_per_batch)
        return min((Self.minimumBatchHeight + rowsPerBatch - 1) / rowsPerBatch * rowsPerBatch, Int(header.height))
    }

    /// Checks the memory that decoding takes, with the result at full size.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded`.
    func checkMemory(_ context: DecodeContext) throws(TintypeError) {
        // The rows of a batch, once as stored and once in four channels, which are then converted. libtiff may keep a
        // strip or tile twice.
        let batch = Double(header.width) * Double(batchHeight) * (isWide || hasExtraInks ? 16 : 8)
        try context.limits.checkMemory(
            bytesPerPixel: PixelBuffer.bytesPerPixel + context.highRangeBytesPerPixel(isWide: isWide),
            of: PixelSize(width: Int(header.width), height: Int(header.height)),
            other: batch + 2 * Double(header.piece_bytes))
    }

    /// Reads rows as premultiplied 8-bit RGBA.
    ///
    /// - Parameters:
    ///   - rows: The rows; the first is a multiple of ``batchHeight``.
    ///   - target: Room for the rows.
    ///   - stride: The distance between rows of `target` in bytes.
    ///   - scratch: Room for the pixels of the rows, without padding.
    func readRows(
        _ rows: Range<Int>, into target: UnsafeMutableRawBufferPointer, stride: Int, scratch: inout [UInt32]
    ) throws(TintypeError) {
        guard let base = target.bindMemory(to: UInt8.self).baseAddress else { return }
        try check(
            tintype_tiff_read_rows(
                reader, UInt32(rows.lowerBound), UInt32(rows.count), &scratch, base, stride))
    }

    private func check(_ status: tintype_tiff_status) throws(TintypeError) {
        guard status != .ok else { return }
        throw TintypeError(status, String(cString: tintype_tiff_message(reader)))
    }

    private static let minimumBatchHeight = 16

    /// The largest allocation that libtiff may make, in bytes: an image within the limits with four 16-bit channels.
    private static func maximumAllocation(_ limits: DecodeLimits) -> Int {
        min(max(limits.pixels, 1 << 20), 1 << 28) * 8
    }
}

extension TintypeError {
    init(_ status: tintype_tiff_status, _ reason: String) {
        switch status {
        case .memory: self.init(.outOfMemory, stage: .decode, "not enough memory to decode a TIFF")
        case .unsupported: self.init(.undecodable, stage: .decode, "the TIFF uses an unsupported feature: \(reason)")
        case .corrupt, .ok:
            self.init(.undecodable, stage: .decode, "the TIFF is damaged or truncated: \(reason)")
        }
    }
}
