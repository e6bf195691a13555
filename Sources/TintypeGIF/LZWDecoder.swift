import CTintypeGIF

/// Decodes the LZW codes of a GIF image, which may arrive a few bytes at a time.
///
/// `@unchecked Sendable` because a ``GIFArrivingImage`` owns it, which only one thread uses at a time.
final class LZWDecoder: @unchecked Sendable {
    private let lzw: OpaquePointer

    /// - Parameters:
    ///   - codeSize: The number of bits of a value.
    ///   - count: The number of values of the image.
    /// - Returns: `nil` for a size that is not from 1 to 8, and without memory.
    init?(codeSize: Int, count: Int) {
        guard let lzw = tintype_gif_lzw_create(UInt32(clamping: codeSize), count) else { return nil }
        self.lzw = lzw
    }

    deinit {
        tintype_gif_lzw_destroy(lzw)
    }

    /// Whether nothing more is decoded, because the image has ended or is damaged.
    var hasEnded: Bool { tintype_gif_lzw_has_ended(lzw) }

    /// The values so far, in the order in which they are stored. Valid until the next call of ``decode(_:)``.
    var values: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: tintype_gif_lzw_values(lzw), count: count)
    }

    /// The number of values so far.
    var count: Int { tintype_gif_lzw_count(lzw) }

    /// Decodes the next bytes.
    func decode(_ bytes: some Collection<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { bytes in
            guard let base = bytes.baseAddress else { return }
            _ = tintype_gif_lzw_decode(lzw, base, bytes.count, .max)
        }
        if isDone == nil { decode(Array(bytes)) }
    }
}
