import CLibHEIF
import TintypeCore

/// The interleaved colours of a picture that libheif decoded, straight or premultiplied as the file has them.
struct HEIFPlane: ~Copyable {
    private let image: OpaquePointer
    private let plane: UnsafePointer<UInt8>
    private let stride: Int
    private let size: PixelSize
    /// Bits of a channel.
    private let depth: Int
    private let isWide: Bool

    /// - Parameters:
    ///   - size: what the file says that the picture has.
    ///   - isWide: whether samples are to be kept in words of 16 bits.
    init(_ handle: OpaquePointer, _ size: PixelSize, isWide: Bool) throws(TintypeError) {
        guard let options = heif_decoding_options_alloc() else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a HEIC decoder")
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
            throw TintypeError(.undecodable, stage: .decode, "the HEIC has another size than it says")
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

    /// Channels of a row.
    var rowLength: Int { size.width * 4 }

    /// A row of 8 bits a channel.
    func row(_ y: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: plane + y * stride, count: rowLength)
    }

    /// Writes a row of words, widened so that the most that a sample can be is 65535.
    func read(_ y: Int, _ words: UnsafeMutableBufferPointer<UInt16>) {
        guard isWide else {
            for (index, sample) in row(y).enumerated() { words[index] = UInt16(sample) * 257 }
            return
        }
        let row = UnsafeRawBufferPointer(start: plane + y * stride, count: rowLength * 2)
        let most = UInt32(1) << UInt32(depth) - 1
        for index in 0..<rowLength {
            let sample = min(UInt32(row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)), most)
            words[index] = UInt16((sample * 65535 + most / 2) / most)
        }
    }
}
