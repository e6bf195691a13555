import CTintypeWebP
import Foundation
import TintypeColor
import TintypeCore

/// The chunks and frames of a WebP file or of a prefix, read with libwebpdemux.
struct WebPFile: ~Copyable {
    private let file: OpaquePointer

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - bytes: Must outlive this value.
    ///   - isComplete: Whether `bytes` is the complete file, and not a prefix.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded` for too many frames or too much
    ///   metadata.
    init(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool = true, _ limits: DecodeLimits
    ) throws(TintypeError) {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { throw .damagedWebP }
        try limits.check(tintype_webp_survey_file(base, bytes.count))
        var file: OpaquePointer?
        let status = tintype_webp_open(base, bytes.count, isComplete, &file)
        if let error = TintypeError(status) { throw error }
        guard let file else { throw .damagedWebP }
        self.file = file
    }

    deinit {
        tintype_webp_close(file)
    }

    /// The number of frames; 1 for a still image.
    var frameCount: Int { Int(tintype_webp_frame_count(file)) }
    /// The number of times that the animation plays; 0 means forever.
    var playCount: Int { Int(tintype_webp_play_count(file)) }
    /// The orientation of the Exif data or, if they have none, of the XMP packet (Metadata Working Group, guidelines
    /// 2.0, 5.4).
    var orientation: Orientation {
        Orientation(rawValue: Int(tintype_webp_orientation(file)))
            ?? chunk("XMP ").flatMap { XMPPacket(Data($0))?.orientation } ?? .up
    }

    /// The Exif data, or `nil`.
    var exif: ExifData? { chunk("EXIF").flatMap { ExifData(Data($0)) } }

    /// Returns the colours that the file states.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` if the profile is too large.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        guard let profile = chunk("ICCP") else { return .standard }
        try limits.check(profileBytes: profile.count)
        return .profile(Data(profile))
    }

    private func chunk(_ name: String) -> UnsafeBufferPointer<UInt8>? {
        var count = 0
        return tintype_webp_find_chunk(file, name, &count).map { UnsafeBufferPointer(start: $0, count: count) }
    }

    /// Returns the frame at `index`, counted from 0, with a pointer into the file's bytes.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the frame is damaged or incomplete.
    func frame(_ index: Int) throws(TintypeError) -> tintype_webp_frame {
        var frame = tintype_webp_frame()
        if let error = TintypeError(tintype_webp_get_frame(file, UInt32(clamping: index), &frame)) { throw error }
        return frame
    }
}

extension DecodeLimits {
    fileprivate func check(_ survey: tintype_webp_survey) throws(TintypeError) {
        try check(profileBytes: survey.profile_bytes)
        try check(exifBytes: survey.exif_bytes)
        guard survey.frames <= frames else { throw .exceeded(.frames, "a WebP with more than \(frames) frames") }
    }
}

extension AnimationFrame {
    init(_ frame: tintype_webp_frame) {
        self.init(
            rect: PixelRect(
                x: Int(frame.x), y: Int(frame.y), size: PixelSize(width: Int(frame.width), height: Int(frame.height))),
            duration: Double(frame.milliseconds) / 1000, blend: frame.is_blended ? .over : .source,
            disposal: frame.is_disposed ? .background : .keep, hasAlpha: frame.has_alpha)
    }
}

extension tintype_webp_header {
    /// Reads the header.
    ///
    /// - Returns: `nil` if `bytes` is a prefix that ends too early.
    /// - Throws: `TintypeError.Code.undecodable`.
    init?(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        self.init()
        let status =
            bytes.bindMemory(to: UInt8.self).baseAddress.map { tintype_webp_read_header($0, bytes.count, &self) }
            ?? .needsMore
        if status == .needsMore { return nil }
        if let error = TintypeError(status) { throw error }
    }

    /// The size of the image or canvas in pixels.
    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }

    /// Whether some information follows the pixels: frame delays or the orientation.
    var needsWholeFile: Bool { is_animated || has_exif || has_xmp }
}

extension TintypeError {
    static let truncatedWebP = TintypeError(.undecodable, stage: .decode, "the WebP is truncated")
    static let damagedWebP = TintypeError(.undecodable, stage: .decode, "the WebP is damaged or truncated")

    /// - Returns: `nil` if `status` is `ok`.
    init?(_ status: tintype_webp_status) {
        switch status {
        case .ok: return nil
        case .cancelled: self = .cancelled
        case .memory: self.init(.outOfMemory, stage: .decode, "not enough memory to decode a WebP")
        case .needsMore: self = .truncatedWebP
        case .corrupt: self = .damagedWebP
        }
    }
}
