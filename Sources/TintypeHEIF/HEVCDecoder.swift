import CLibDE265
import TintypeCore

/// A libde265 decoder for one HEVC stream (ITU-T H.265). It decodes on the calling thread: with threads of libde265
/// 1.0.11, files gave other pixels here, although its own program gives the same with any number of threads.
///
/// Not thread-safe: use it from one thread at a time.
final class HEVCDecoder {
    private let decoder: UnsafeMutableRawPointer
    private let size: PixelSize

    /// Creates a decoder.
    ///
    /// - Parameter size: The size of the images that the file declares, in pixels. Units that declare larger ones are
    ///   refused.
    /// - Throws: `TintypeError.Code.outOfMemory`.
    init(size: PixelSize) throws(TintypeError) {
        try HEVCLibrary.load()
        guard let decoder = de265_new_decoder() else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for an HEVC decoder")
        }
        (self.decoder, self.size) = (decoder, size)
    }

    deinit {
        de265_free_decoder(decoder)
    }

    // MARK: Decoding

    /// Discards all images and pushed units. Push the parameter sets again afterwards.
    func reset() {
        de265_reset(decoder)
    }

    /// Pushes one NAL unit.
    ///
    /// - Parameter tag: The ``HEVCImage/tag`` of the images that are decoded from this unit.
    /// - Throws: `TintypeError.Code.undecodable`, also for a parameter set of larger images than the file declares;
    ///   `TintypeError.Code.outOfMemory`.
    func push(_ unit: UnsafeRawBufferPointer, tag: Int) throws(TintypeError) {
        // libde265 allocates what the stream declares.
        guard HEVCSequenceParameterSet(unit).map(isExpected) ?? true else {
            throw TintypeError(.undecodable, stage: .decode, "a coded image of the HEIC is larger than declared")
        }
        let error = de265_push_NAL(decoder, unit.baseAddress, Int32(clamping: unit.count), Int64(tag), nil)
        try Self.check(error)
    }

    /// Pushes NAL units that each follow their length, as in a sample (ISO/IEC 14496-15, 4.3.3).
    ///
    /// - Parameters:
    ///   - lengthSize: The size of the length fields in bytes.
    ///   - tag: The ``HEVCImage/tag`` of the images that are decoded from these units.
    /// - Throws: `TintypeError.Code.undecodable` or `TintypeError.Code.outOfMemory`.
    func push(units: UnsafeRawBufferPointer, lengthSize: Int, tag: Int) throws(TintypeError) {
        let (file, all) = (ISOFile(bytes: units), 0..<units.count)
        var offset = 0
        while offset < units.count {
            let length = try file.number(at: offset, size: lengthSize, in: all)
            offset += lengthSize
            guard length > 0, length <= units.count - offset else {
                throw TintypeError(
                    .undecodable, stage: .decode, "the HEIC is damaged or truncated: a unit has a wrong length")
            }
            try push(UnsafeRawBufferPointer(rebasing: units[offset..<offset + length]), tag: tag)
            offset += length
        }
    }

    private func isExpected(_ set: HEVCSequenceParameterSet) -> Bool {
        // Sides are padded to whole blocks.
        set.size.width <= size.width + Self.largestBlock && set.size.height <= size.height + Self.largestBlock
    }

    /// The side of HEVC's largest block in pixels.
    private static let largestBlock = 64

    /// Marks the end of the units of one frame.
    func endFrame() {
        de265_push_end_of_frame(decoder)
    }

    /// Marks the end of the stream, so that the decoder outputs the images it holds back.
    func endStream() throws(TintypeError) {
        try Self.check(de265_flush_data(decoder))
    }

    /// Decodes the pushed units and passes the decoded images to `body` in output order.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, also where libde265 conceals damage and only warns;
    ///   `TintypeError.cancelled`; any error of `body`.
    func decode(
        isCancelled: () -> Bool, _ body: (HEVCImage) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        var more: Int32 = 1
        while more != 0 {
            guard !isCancelled() else { throw .cancelled }
            let error = de265_decode(decoder, &more)
            try deliverImages(to: body)
            if error == DE265_ERROR_WAITING_FOR_INPUT_DATA { break }
            if error != DE265_ERROR_IMAGE_BUFFER_FULL { try Self.check(error) }
        }
        try deliverImages(to: body)
        try Self.check(de265_get_warning(decoder))
    }

    private func deliverImages(to body: (HEVCImage) throws(TintypeError) -> Void) throws(TintypeError) {
        while let image = de265_get_next_picture(decoder) { try body(HEVCImage(image)) }
    }

    private static func check(_ error: de265_error) throws(TintypeError) {
        guard error != DE265_OK else { return }
        if error == DE265_ERROR_OUT_OF_MEMORY {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory to decode a HEIC")
        }
        let reason = de265_get_error_text(error).map { String(cString: $0) } ?? ""
        throw TintypeError(.undecodable, stage: .decode, "the HEIC is damaged or truncated: \(reason)")
    }
}

/// One image that libde265 has decoded. It is valid until the next call of its ``HEVCDecoder``.
struct HEVCImage {
    private let image: OpaquePointer

    init(_ image: OpaquePointer) {
        self.image = image
    }

    /// The tag with which the units of the image were pushed.
    var tag: Int { Int(de265_get_image_PTS(image)) }
    /// The matrix coefficients of the stream (ITU-T H.273, table 4).
    var matrix: Int { Int(de265_get_image_matrix_coefficients(image)) }
    /// Whether samples use all values instead of the limited video range.
    var isFullRange: Bool { de265_get_image_full_range_flag(image) != 0 }
    var isGrey: Bool { de265_get_chroma_format(image) == de265_chroma_mono }

    /// The number of pixels that one chroma sample covers in each direction.
    var chromaScale: (across: Int, down: Int) {
        switch de265_get_chroma_format(image) {
        case de265_chroma_420: (2, 2)
        case de265_chroma_422: (2, 1)
        default: (1, 1)
        }
    }

    /// Returns a plane; `nil` if the image does not have it or its layout is invalid.
    ///
    /// - Parameter channel: 0 for luma, 1 for Cb, 2 for Cr.
    func plane(_ channel: Int32) -> YCbCrRows.Plane? {
        var stride: Int32 = 0
        let depth = Int(de265_get_bits_per_pixel(image, channel))
        let size = PixelSize(
            width: Int(de265_get_image_width(image, channel)), height: Int(de265_get_image_height(image, channel)))
        guard let bytes = de265_get_image_plane(image, channel, &stride), size.isPositive, (8...16).contains(depth),
            Int(stride) >= size.width * (depth > 8 ? 2 : 1)
        else { return nil }
        return YCbCrRows.Plane(bytes: UnsafeRawPointer(bytes), stride: Int(stride), size: size, depth: depth)
    }
}
