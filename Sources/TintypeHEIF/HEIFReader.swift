import CLibHEIF
import TintypeCore

/// libheif reading the primary picture of one file, in the calling thread.
struct HEIFReader: ~Copyable {
    private let context: OpaquePointer
    private let handle: OpaquePointer

    /// Reads everything but pixels.
    ///
    /// - Parameter bytes: must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) {
        guard let context = heif_context_alloc() else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a HEIC decoder")
        }
        // No threads of libheif's own.
        heif_context_set_max_decoding_threads(context, 0)
        // The limit is the square of this.
        let side = Double(max(limits.pixels, 1)).squareRoot().rounded(.up)
        heif_context_set_maximum_image_size_limit(context, Int32(min(side, 32_768)))
        var handle: OpaquePointer?
        do throws(TintypeError) {
            try Self.check(heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
            try Self.check(heif_context_get_primary_image_handle(context, &handle))
            if let handle { try limits.check(profileBytes: heif_image_handle_get_raw_color_profile_size(handle)) }
        } catch {
            heif_image_handle_release(handle)
            heif_context_free(context)
            throw error
        }
        guard let handle else {
            heif_context_free(context)
            throw TintypeError(.undecodable, stage: .decode, "the HEIC has no picture")
        }
        self.context = context
        self.handle = handle
    }

    deinit {
        heif_image_handle_release(handle)
        heif_context_free(context)
    }

    /// What the file says of its picture, turned and cut as libheif does while it decodes.
    var info: ImageInfo {
        let size = PixelSize(
            width: Int(heif_image_handle_get_width(handle)), height: Int(heif_image_handle_get_height(handle)))
        return ImageInfo(format: .heic, size: size, hasAlpha: heif_image_handle_has_alpha_channel(handle) != 0)
    }

    private var isPremultiplied: Bool { heif_image_handle_is_premultiplied_alpha(handle) != 0 }

    /// Decodes the picture and brings it to a part and size.
    func pixels(_ target: DecodeTarget) throws(TintypeError) -> PixelBuffer {
        guard let options = heif_decoding_options_alloc() else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a HEIC decoder")
        }
        defer { heif_decoding_options_free(options) }
        options.pointee.convert_hdr_to_8bit = 1
        if options.pointee.version >= 3 { options.pointee.strict_decoding = 1 }
        var image: OpaquePointer?
        defer { heif_image_release(image) }
        try Self.check(
            heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, options))
        guard let image else { throw TintypeError(.undecodable, stage: .decode, "the HEIC is damaged") }
        return try resampled(image, target)
    }

    private func resampled(_ image: OpaquePointer, _ target: DecodeTarget) throws(TintypeError) -> PixelBuffer {
        var stride: Int32 = 0
        let size = info.size
        guard let plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride), stride > 0,
            heif_image_get_width(image, heif_channel_interleaved) == size.width,
            heif_image_get_height(image, heif_channel_interleaved) == size.height
        else { throw TintypeError(.undecodable, stage: .decode, "the HEIC has another size than it says") }
        let rowLength = Int(stride)
        var next = 0
        let multiplies = info.hasAlpha && !isPremultiplied
        func read(_ count: Int, _ strip: inout PixelWriter) {
            for row in 0..<count {
                strip.withRows(from: row) { rows in
                    rows.copyMemory(
                        from: UnsafeRawBufferPointer(
                            start: plane + (next + row) * rowLength, count: size.width * PixelBuffer.bytesPerPixel))
                }
            }
            if multiplies { strip.premultiply(rows: count) }
            next += count
        }
        guard !target.isAll(of: size) else {
            var writer = try PixelWriter(size: size)
            read(size.height, &writer)
            return writer.finish()
        }
        return try RowResampler.resampled(size, crop: target.part, to: target.size) { (count, strip) in
            read(count, &strip)
            return count
        }
    }

    private static func check(_ error: heif_error) throws(TintypeError) {
        guard error.code != heif_error_Ok else { return }
        let reason = error.message.map { String(cString: $0) } ?? ""
        switch (error.code, error.subcode) {
        case (_, heif_suberror_Security_limit_exceeded):
            throw .exceeded(.library, "a HEIC beyond the limits: \(reason)")
        case (heif_error_Memory_allocation_error, _):
            throw TintypeError(.outOfMemory, stage: .decode, "no memory to decode a HEIC")
        default: throw TintypeError(.undecodable, stage: .decode, "the HEIC is damaged or cut short: \(reason)")
        }
    }
}
