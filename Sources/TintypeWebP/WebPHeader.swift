import CTintypeWebP
import TintypeCore

extension tintype_webp_header {
    /// - Returns: `nil` when the bytes are a prefix that ends too early.
    init?(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        self.init()
        let status =
            bytes.bindMemory(to: UInt8.self).baseAddress.map { tintype_webp_read_header($0, bytes.count, &self) }
            ?? .needsMore
        if status == .needsMore { return nil }
        if let error = TintypeError(status) { throw error }
    }

    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }

    /// Whether something that the header should tell comes only after the pixels.
    var needsWholeFile: Bool { is_animated || has_exif }
}
