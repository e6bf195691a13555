import CLibDE265
import TintypeCore

/// libde265 decoding one stream of HEVC (ITU-T H.265), in the calling thread.
final class HEVCStream {
    private let decoder: UnsafeMutableRawPointer
    /// The most samples that libde265 may claim for one plane. What a stream says of its size need not be what the file says.
    private let limit: UnsafeMutablePointer<Int>

    /// - Parameter size: of the pictures; none may be much larger.
    init(_ size: PixelSize) throws(TintypeError) {
        guard let decoder = de265_new_decoder() else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a HEVC decoder")
        }
        self.decoder = decoder
        limit = .allocate(capacity: 1)
        // Pictures are stored in whole blocks, of up to 64 pixels, and with a border for motion.
        limit.initialize(to: (size.width + Self.mostPadding) * (size.height + Self.mostPadding))
        var allocation = de265_image_allocation(get_buffer: Self.allocate, release_buffer: Self.release)
        de265_set_image_allocation_functions(decoder, &allocation, limit)
    }

    deinit {
        de265_free_decoder(decoder)
        limit.deallocate()
    }

    private static let mostPadding = 256

    private static let allocate:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutablePointer<de265_image_spec>?, OpaquePointer?, UnsafeMutableRawPointer?
        ) -> Int32 = { decoder, spec, image, limit in
            guard let spec = spec?.pointee, let limit = limit?.assumingMemoryBound(to: Int.self).pointee,
                Int(spec.width) * Int(spec.height) <= limit,
                let standard = de265_get_default_image_allocation_functions()
            else { return 0 }
            var copy = spec
            return standard.pointee.get_buffer(decoder, &copy, image, nil)
        }

    private static let release:
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
            decoder, image, _ in
            de265_get_default_image_allocation_functions()?.pointee.release_buffer(decoder, image, nil)
        }

    // MARK: Decoding

    /// Forgets all pictures and what has been pushed; parameter sets are to be pushed anew.
    func reset() {
        de265_reset(decoder)
    }

    /// Pushes one NAL unit.
    ///
    /// - Parameter tag: what the pictures made of it will have.
    func push(_ unit: UnsafeRawBufferPointer, tag: Int) throws(TintypeError) {
        let error = de265_push_NAL(decoder, unit.baseAddress, Int32(clamping: unit.count), Int64(tag), nil)
        try Self.check(error)
    }

    /// Says that a picture's units are all there.
    func endPicture() {
        de265_push_end_of_frame(decoder)
    }

    /// Says that no more units come.
    func endStream() throws(TintypeError) {
        try Self.check(de265_flush_data(decoder))
    }

    /// Decodes what was pushed, and hands over the pictures that are to be shown, in their order.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` also where libde265 has made something up for what is damaged.
    func decode(_ shown: (HEVCPicture) throws(TintypeError) -> Void) throws(TintypeError) {
        var more: Int32 = 1
        while more != 0 {
            let error = de265_decode(decoder, &more)
            try handOver(shown)
            if error == DE265_ERROR_WAITING_FOR_INPUT_DATA { break }
            if error != DE265_ERROR_IMAGE_BUFFER_FULL { try Self.check(error) }
        }
        try handOver(shown)
        try Self.check(de265_get_warning(decoder))
    }

    private func handOver(_ shown: (HEVCPicture) throws(TintypeError) -> Void) throws(TintypeError) {
        while let image = de265_get_next_picture(decoder) { try shown(HEVCPicture(image)) }
    }

    private static func check(_ error: de265_error) throws(TintypeError) {
        guard error != DE265_OK else { return }
        if error == DE265_ERROR_OUT_OF_MEMORY {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory to decode a HEIC sequence")
        }
        let reason = de265_get_error_text(error).map { String(cString: $0) } ?? ""
        throw TintypeError(.undecodable, stage: .decode, "the HEIC sequence is damaged or cut short: \(reason)")
    }
}

/// One decoded picture, as long as nothing else is asked of its decoder.
struct HEVCPicture {
    /// The samples of luma or of one chroma.
    struct Plane {
        let bytes: UnsafeRawPointer
        let stride: Int
        let size: PixelSize
        let depth: Int

        /// The sample that belongs to a pixel, where each stands for `across` × `down` pixels.
        func sample(_ x: Int, _ y: Int, _ across: Int, _ down: Int) -> Int {
            let row = bytes + min(y / down, size.height - 1) * stride
            let column = min(x / across, size.width - 1)
            guard depth > 8 else { return Int(row.load(fromByteOffset: column, as: UInt8.self)) }
            return Int(row.loadUnaligned(fromByteOffset: 2 * column, as: UInt16.self))
        }
    }

    private let image: OpaquePointer

    init(_ image: OpaquePointer) {
        self.image = image
    }

    /// What was said when its units were pushed.
    var tag: Int { Int(de265_get_image_PTS(image)) }
    var matrix: Int { Int(de265_get_image_matrix_coefficients(image)) }
    var isFullRange: Bool { de265_get_image_full_range_flag(image) != 0 }
    var isGrey: Bool { de265_get_chroma_format(image) == de265_chroma_mono }

    /// Pixels that a sample of chroma stands for.
    var chromaScale: (across: Int, down: Int) {
        switch de265_get_chroma_format(image) {
        case de265_chroma_420: (2, 2)
        case de265_chroma_422: (2, 1)
        default: (1, 1)
        }
    }

    /// - Parameter channel: 0 luma, 1 and 2 chroma.
    func plane(_ channel: Int32) -> Plane? {
        var stride: Int32 = 0
        let depth = Int(de265_get_bits_per_pixel(image, channel))
        let size = PixelSize(
            width: Int(de265_get_image_width(image, channel)), height: Int(de265_get_image_height(image, channel)))
        guard let bytes = de265_get_image_plane(image, channel, &stride), size.isPositive, (8...16).contains(depth),
            Int(stride) >= size.width * (depth > 8 ? 2 : 1)
        else { return nil }
        return Plane(bytes: UnsafeRawPointer(bytes), stride: Int(stride), size: size, depth: depth)
    }
}
