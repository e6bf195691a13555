import CTintypeTIFF
import Foundation
import TintypeColor
import TintypeCore

/// libtiff reading the first picture of a whole file.
struct TIFFReader: ~Copyable {
    private let reader: OpaquePointer
    private let header: tintype_tiff_header

    /// - Parameter bytes: must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) {
        var header = tintype_tiff_header()
        var reader: OpaquePointer?
        var message = [CChar](repeating: 0, count: 200)
        let status = bytes.bindMemory(to: UInt8.self).baseAddress.map {
            tintype_tiff_open(
                $0, bytes.count, Self.mostBytes(limits), &header, &reader, &message, message.count)
        }
        guard status == .ok, let reader else {
            throw TintypeError(status ?? .corrupt, String(tiffMessage: message))
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

    var info: ImageInfo {
        let orientation = Orientation(rawValue: Int(header.orientation)) ?? .up
        let stored = PixelSize(width: Int(header.width), height: Int(header.height))
        return ImageInfo(
            format: .tiff, size: orientation.displayed(stored), orientation: orientation, hasAlpha: header.has_alpha,
            density: PixelDensity(across: header.density_across, down: header.density_down))
    }

    /// Whether libtiff's way to 8 bits would lose something.
    var isWide: Bool { header.bits == 16 }
    var channels: SourceChannels { header.is_grey ? .grey : .rgb }

    /// - Throws: ``TintypeError/Code/limitExceeded`` for a profile that is too large.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        guard let profile = header.profile, Int(header.profile_bytes) > 0 else { return .standard }
        try limits.check(profileBytes: Int(header.profile_bytes))
        return .profile(Data(bytes: profile, count: Int(header.profile_bytes)))
    }

    /// Readies the rows.
    func start() throws(TintypeError) {
        try check(tintype_tiff_start(reader))
    }

    /// Readies rows of 16-bit samples; `nil` where the picture is of another kind.
    func startSamples() -> tintype_tiff_kind? {
        var kind = tintype_tiff_kind.colors
        return tintype_tiff_start_samples(reader, &kind) == .ok ? kind : nil
    }

    /// Decodes rows from a multiple of ``batchHeight`` on, as 16-bit samples.
    func readSamples(_ rows: Range<Int>, into words: UnsafeMutableBufferPointer<UInt16>) throws(TintypeError) {
        guard let base = words.baseAddress, words.count >= rows.count * Int(header.width) * 4 else { return }
        try check(tintype_tiff_read_samples(reader, UInt32(rows.lowerBound), UInt32(rows.count), base))
    }

    /// Rows that are decoded at once: as many as are compressed together, and of those so many that a call is worth it.
    var batchHeight: Int {
        let together = Int(header.rows_per_batch)
        return min((Self.leastRows + together - 1) / together * together, Int(header.height))
    }

    /// Decodes rows from a multiple of ``batchHeight`` on, premultiplied.
    ///
    /// - Parameter scratch: room for as many pixels, without padding.
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

    private static let leastRows = 16

    /// What libtiff may claim at once: a picture of sixteen bits and four channels within the limits.
    private static func mostBytes(_ limits: DecodeLimits) -> Int { min(max(limits.pixels, 1 << 20), 1 << 28) * 8 }
}

extension TintypeError {
    init(_ status: tintype_tiff_status, _ reason: String) {
        switch status {
        case .memory: self.init(.outOfMemory, stage: .decode, "no memory to decode a TIFF")
        case .unsupported: self.init(.undecodable, stage: .decode, "a TIFF of an unsupported kind: \(reason)")
        case .corrupt, .ok:
            self.init(.undecodable, stage: .decode, "the TIFF is damaged or cut short: \(reason)")
        }
    }
}

extension String {
    init(tiffMessage message: [CChar]) {
        self.init(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
