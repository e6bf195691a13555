import CLibDE265
import TintypeCore

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
