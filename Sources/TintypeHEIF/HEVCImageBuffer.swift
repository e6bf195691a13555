import TintypeCore

/// The decoded images of a stream that exist at once (ITU-T H.265, 7.4.3.2.1).
struct HEVCImageBuffer {
    /// The number of images that are decoded, referred to by later ones, or wait to be shown.
    let imageCount: Int
    /// The number of images that may be decoded before an image but shown after it.
    let reorderedCount: Int
    /// The bytes of the planes of an image for two pixels.
    private let bytesOfTwoPixels: Int

    /// The most images of each kind (A.4.2).
    private static let most = 16
    /// libde265 keeps the modes and motion vectors of each block of 4×4 pixels.
    private static let bytesOfModes = 1

    /// The buffer for streams with unknown parameters: the largest that any stream needs.
    static let largest = HEVCImageBuffer(bufferedCount: most, reorderedCount: most, chromaFormat: 3, depth: 16)

    /// - Parameters:
    ///   - bufferedCount: `sps_max_dec_pic_buffering_minus1` plus 1. libde265 refuses images that refer to more images.
    ///   - reorderedCount: `sps_max_num_reorder_pics`.
    ///   - chromaFormat: `chroma_format_idc`.
    ///   - depth: Bits of a sample.
    init(bufferedCount: Int, reorderedCount: Int, chromaFormat: Int, depth: Int) {
        self.reorderedCount = min(reorderedCount, Self.most)
        imageCount = min(bufferedCount, Self.most) + self.reorderedCount + 1
        let samples = [2, 3, 4][min(max(chromaFormat, 0), 2)]
        bytesOfTwoPixels = (chromaFormat > 2 ? 6 : samples) * (depth > 8 ? 2 : 1)
    }

    /// The bytes for each pixel, with the frames that are converted before they are requested.
    var bytesPerPixel: Int {
        (imageCount * (bytesOfTwoPixels + 2 * Self.bytesOfModes) + 1) / 2 + reorderedCount * PixelBuffer.bytesPerPixel
    }
}

extension HEVCImageBuffer {
    /// Reads the fields of a sequence parameter set after the size (7.3.2.2).
    ///
    /// - Parameters:
    ///   - bits: The reader, at `conformance_window_flag`.
    ///   - layers: `sps_max_sub_layers_minus1`.
    /// - Returns: `nil` if the set is truncated.
    init?(_ bits: HEVCBitReader, layers: Int, chromaFormat: Int) {
        var bits = bits
        guard let hasWindow = bits.readBits(1) else { return nil }
        // The window, bit_depth_luma_minus8, bit_depth_chroma_minus8, log2_max_pic_order_cnt_lsb_minus4
        var fields: [Int] = []
        for _ in 0..<(hasWindow == 1 ? 7 : 3) {
            guard let field = bits.readExpGolomb() else { return nil }
            fields.append(field)
        }
        let depth = 8 + max(fields[fields.count - 3], fields[fields.count - 2])
        // sps_sub_layer_ordering_info_present_flag
        guard let listsAll = bits.readBits(1) else { return nil }
        var (buffered, reordered) = (0, 0)
        for _ in 0...(listsAll == 1 ? layers : 0) {
            guard let buffering = bits.readExpGolomb(), let reordering = bits.readExpGolomb(),
                bits.readExpGolomb() != nil
            else { return nil }
            (buffered, reordered) = (max(buffered, min(buffering, Self.most) + 1), max(reordered, reordering))
        }
        self.init(bufferedCount: buffered, reorderedCount: reordered, chromaFormat: chromaFormat, depth: depth)
    }
}

/// The memory that a decoder needs for the images of a track that it keeps, according to its sequence parameter sets.
struct HEVCTrackMemory {
    /// The number of pixels of the largest coded image, with the padding that the stream crops.
    let pixels: Int
    /// The bytes for each of them.
    let bytesPerPixel: Int

    /// The number of images that may be decoded before an image but shown after it.
    let reorderedCount: Int

    var bytes: Double { Double(bytesPerPixel) * Double(pixels) }

    /// - Parameters:
    ///   - units: The parameter sets of the track, of all kinds.
    ///   - size: The size of the decoded images in pixels, for a track whose sequence parameter sets are all in its samples.
    /// - Throws: ``TintypeError/Code/limitExceeded`` if a set declares images above the limits.
    init(_ units: [UnsafeRawBufferPointer], size: PixelSize, _ limits: DecodeLimits) throws(TintypeError) {
        let sets = units.compactMap { HEVCSequenceParameterSet($0) }
        for set in sets { try limits.check(ImageInfo(format: .heic, size: set.minimumSize)) }
        let padding = HEVCSequenceParameterSet.maxPadding
        pixels = sets.map(\.pixels).max() ?? (size.width + padding) * (size.height + padding)
        let buffers = sets.isEmpty ? [.largest] : sets.map(\.neededBuffer)
        bytesPerPixel = buffers.map(\.bytesPerPixel).max() ?? 0
        reorderedCount = buffers.map(\.reorderedCount).max() ?? 0
    }

    /// Returns whether the memory suffices after a unit of the track, which may be another sequence parameter set.
    func suffices(for unit: UnsafeRawBufferPointer) -> Bool {
        guard let set = HEVCSequenceParameterSet(unit) else { return true }
        return set.pixels <= pixels && set.neededBuffer.bytesPerPixel <= bytesPerPixel
    }
}

extension HEVCUnit {
    /// Whether a unit (ITU-T H.265, 7.3.1.2) is the first slice of a picture of the base layer, the only one that libde265
    /// decodes.
    static func beginsPicture(_ unit: UnsafeRawBufferPointer) -> Bool {
        guard unit.count > 2 else { return false }
        let (kind, layer) = (unit[0] >> 1 & 0x3F, (unit[0] & 1) << 5 | unit[1] >> 3)
        // first_slice_segment_in_pic_flag (7.3.6.1) of a unit with a slice (table 7-1)
        return kind < 32 && layer == 0 && unit[2] >> 7 == 1
    }
}
