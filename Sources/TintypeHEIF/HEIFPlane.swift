import CLibHEIF
import TintypeCore

/// The interleaved RGBA samples of an image that libheif has decoded, upright.
final class HEIFPlane: HEIFRows {
    private let image: OpaquePointer
    private let plane: UnsafePointer<UInt8>
    private let stride: Int
    let size: PixelSize
    /// Bits a channel.
    private let depth: Int
    private let isWide: Bool

    /// Decodes an image.
    ///
    /// - Parameters:
    ///   - size: The size that the file declares, in pixels.
    ///   - isWide: Whether to decode to 16-bit words, which only the words of rows can be read from, instead of 8 bits
    ///     per channel.
    /// - Throws: `TintypeError.Code.undecodable`, also if the image has another size;
    ///   `TintypeError.Code.limitExceeded`; `TintypeError.Code.outOfMemory`.
    init(_ handle: OpaquePointer, _ size: PixelSize, isWide: Bool) throws(TintypeError) {
        guard let options = heif_decoding_options_alloc() else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for a HEIC decoder")
        }
        defer { heif_decoding_options_free(options) }
        options.pointee.convert_hdr_to_8bit = isWide ? 0 : 1
        if options.pointee.version >= 3 { options.pointee.strict_decoding = 1 }
        var image: OpaquePointer?
        let chroma = isWide ? Self.wideChroma : heif_chroma_interleaved_RGBA
        try HEIFReader.check(heif_decode_image(handle, &image, heif_colorspace_RGB, chroma, options))
        guard let image else { throw TintypeError(.undecodable, stage: .decode, "the HEIC is damaged") }
        var stride: Int32 = 0
        let depth = Int(heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved))
        guard let plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride), stride > 0,
            heif_image_get_width(image, heif_channel_interleaved) == size.width,
            heif_image_get_height(image, heif_channel_interleaved) == size.height, (8...16).contains(depth)
        else {
            heif_image_release(image)
            throw TintypeError(.undecodable, stage: .decode, "the size of the HEIC image is not the declared one")
        }
        self.image = image
        self.plane = plane
        self.stride = Int(stride)
        self.size = size
        self.depth = depth
        self.isWide = isWide
    }

    deinit {
        heif_image_release(image)
    }

    private static var wideChroma: heif_chroma {
        1.littleEndian == 1 ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBBAA_BE
    }

    var orientation: Orientation { .up }

    /// Returns a row of an image of 8 bits per channel.
    private func row(_ y: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: plane + y * stride, count: size.width * 4)
    }

    func read(_ y: Int, into target: UnsafeMutableBufferPointer<UInt8>) {
        _ = target.update(fromContentsOf: row(y))
    }

    func read(_ y: Int, into words: UnsafeMutableBufferPointer<UInt16>) {
        guard isWide else {
            for (index, sample) in row(y).enumerated() { words[index] = UInt16(sample) * 257 }
            return
        }
        let row = UnsafeRawBufferPointer(start: plane + y * stride, count: size.width * 8)
        let maximum = UInt32(1) << UInt32(depth) - 1
        for index in 0..<size.width * 4 {
            let sample = min(UInt32(row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)), maximum)
            words[index] = UInt16((sample * 65535 + maximum / 2) / maximum)
        }
    }
}
