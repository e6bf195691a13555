import CLibHEIF
package import Foundation
package import TintypeCore

/// Encodes lossy HEIC images and sequences with libheif and its HEVC encoder (x265 in Debian's build).
///
/// HDR images are written in PQ with 10 bits, or with 8 bits and a gain map.
///
/// ``EncodeOptions/effort`` from 0 to 1 is a preset of x265, from `ultrafast` to `veryslow`; by default it is
/// libheif's, `slow`.
///
/// A value may be used from any thread.
package struct HEIFEncoder: ImageEncoder {
    /// Creates an encoder.
    package init() {}

    /// The HEIC format.
    package var formats: Set<ImageFormat> { [.heic] }

    /// Encodes a still image. Alpha is omitted if every pixel is opaque.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, also if libheif has no HEVC encoder;
    ///   `TintypeError.Code.outOfMemory`.
    package func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        try encode(pixels, isOpaque: pixels.isOpaque, options)
    }

    /// Encodes a still image.
    ///
    /// - Parameter isOpaque: Whether alpha is omitted.
    func encode(_ pixels: PixelBuffer, isOpaque: Bool, _ options: EncodeOptions) throws(TintypeError) -> Data {
        try encode(options) { image throws(TintypeError) in
            try fill(&image, with: isOpaque ? pixels : try pixels.unpremultiplied(), isOpaque: isOpaque)
        }
    }

    /// Encodes an image of libheif.
    ///
    /// - Parameters:
    ///   - statesColors: Whether the file has the code points of the image.
    ///   - fill: Creates the image.
    func encode(
        _ options: EncodeOptions, statesColors: Bool = false, fill: (inout OpaquePointer?) throws(TintypeError) -> Void
    ) throws(TintypeError) -> Data {
        try HEIFLibrary.load(for: .encode)
        guard let context = heif_context_alloc() else {
            throw TintypeError(.outOfMemory, stage: .encode, "not enough memory for a HEIC encoder")
        }
        defer { heif_context_free(context) }
        var (encoder, image): (OpaquePointer?, OpaquePointer?) = (nil, nil)
        defer {
            heif_encoder_release(encoder)
            heif_image_release(image)
        }
        try check(heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder))
        // Otherwise x265 logs to standard error.
        try check(heif_encoder_set_logging_level(encoder, 0))
        try check(heif_encoder_set_lossy_quality(encoder, Int32((options.usedQuality * 100).rounded())))
        if let chroma = options.chroma.ofX265 {
            try check(heif_encoder_set_parameter_string(encoder, "chroma", chroma))
        }
        if let effort = options.effort(from: 0, to: Self.presets.count - 1) {
            try check(heif_encoder_set_parameter_string(encoder, "preset", Self.presets[effort]))
        }
        try fill(&image)
        try add(options.written.profile) { heif_image_set_raw_color_profile(image, "prof", $0, $1) }
        var handle: OpaquePointer?
        defer { heif_image_handle_release(handle) }
        // By default, libheif 1.15 omits the code points, because macOS 10.15 did not know them.
        guard let settings = heif_encoding_options_alloc() else {
            throw TintypeError(.outOfMemory, stage: .encode, "not enough memory for a HEIC encoder")
        }
        defer { heif_encoding_options_free(settings) }
        if statesColors, settings.pointee.version >= 4 {
            settings.pointee.macOS_compatibility_workaround_no_nclx_profile = 0
        }
        try check(heif_context_encode_image(context, image, encoder, settings, &handle))
        if options.embedsThumbnail { try addThumbnail(of: image, to: handle, context, encoder) }
        try add(options.written.exif) { heif_context_add_exif_metadata(context, handle, $0, Int32(clamping: $1)) }
        try add(options.written.xmp) { heif_context_add_XMP_metadata(context, handle, $0, Int32(clamping: $1)) }
        return try Self.write(context)
    }

    /// The presets of x265 from the fastest on. The last one, `placebo`, is left out as it takes much longer for
    /// nothing.
    private static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow",
    ]

    private func add(_ data: Data?, _ add: (UnsafeRawPointer, Int) -> heif_error) throws(TintypeError) {
        guard let data, !data.isEmpty else { return }
        let error = data.withUnsafeBytes { bytes in bytes.baseAddress.map { add($0, bytes.count) } }
        if let error { try check(error) }
    }

    /// Adds a thumbnail. libheif scales it, and omits it if the image is not larger.
    private func addThumbnail(
        of image: OpaquePointer?, to handle: OpaquePointer?, _ context: OpaquePointer, _ encoder: OpaquePointer?
    ) throws(TintypeError) {
        var thumbnail: OpaquePointer?
        defer { heif_image_handle_release(thumbnail) }
        let side = Int32(EncodeOptions.thumbnailSize.width)
        try check(heif_context_encode_thumbnail(context, image, handle, encoder, nil, side, &thumbnail))
    }

    /// Creates a libheif image of straight pixels.
    private func fill(
        _ image: inout OpaquePointer?, with pixels: PixelBuffer, isOpaque: Bool
    ) throws(TintypeError) {
        let (width, height) = (Int32(clamping: pixels.size.width), Int32(clamping: pixels.size.height))
        let samples = isOpaque ? 3 : 4
        let chroma = isOpaque ? heif_chroma_interleaved_RGB : heif_chroma_interleaved_RGBA
        try check(heif_image_create(width, height, heif_colorspace_RGB, chroma, &image))
        try check(heif_image_add_plane(image, heif_channel_interleaved, width, height, 8))
        var stride: Int32 = 0
        guard let plane = heif_image_get_plane(image, heif_channel_interleaved, &stride) else {
            throw TintypeError(.outOfMemory, stage: .encode, "not enough memory for a HEIC encoder")
        }
        for y in 0..<pixels.size.height {
            let row = plane + y * Int(stride)
            pixels.withUnsafeRow(y) { stored in
                for x in 0..<pixels.size.width {
                    for channel in 0..<samples { row[x * samples + channel] = stored[4 * x + channel] }
                }
            }
        }
    }

    private static let success: StaticString = "Success"

    /// Returns the file that libheif writes.
    private static func write(_ context: OpaquePointer) throws(TintypeError) -> Data {
        var data = Data()
        var writer = heif_writer(writer_api_version: 1) { _, bytes, count, target in
            if let bytes, let target {
                target.assumingMemoryBound(to: Data.self).pointee.append(
                    bytes.assumingMemoryBound(to: UInt8.self), count: count)
            }
            // libheif treats a result without a message as a failure.
            let message = UnsafeRawPointer(HEIFEncoder.success.utf8Start).assumingMemoryBound(to: CChar.self)
            return heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: message)
        }
        let error = withUnsafeMutablePointer(to: &data) { heif_context_write(context, &writer, $0) }
        try check(error)
        return data
    }

    func check(_ error: heif_error) throws(TintypeError) {
        try Self.check(error)
    }

    private static func check(_ error: heif_error) throws(TintypeError) {
        guard error.code != heif_error_Ok else { return }
        let code: TintypeError.Code =
            error.code == heif_error_Memory_allocation_error ? .outOfMemory : .encodeFailed
        let reason = error.message.map { String(cString: $0) } ?? ""
        throw TintypeError(code, stage: .encode, "cannot encode a HEIC: \(reason)")
    }
}

extension EncodeOptions.Chroma {
    /// The name that x265 has for the sampling; `nil` for its default.
    fileprivate var ofX265: String? {
        switch self {
        case .automatic: nil
        case .yuv420, .sharp420: "420"
        case .yuv422: "422"
        case .yuv444: "444"
        }
    }
}
