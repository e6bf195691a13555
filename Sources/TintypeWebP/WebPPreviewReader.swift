import CTintypeWebP
import Foundation
import TintypeColor
import TintypeCore

/// Decodes one still image with libwebp as it arrives, row by row.
///
/// `@unchecked Sendable` because the C object is used by one thread at a time: under the lock of the
/// ``IncrementalImage`` that owns this reader, or by the one call that created it.
final class WebPPreviewReader: PreviewReader, @unchecked Sendable {
    private let reader: OpaquePointer
    private let pixels: PreviewPixels
    private let context: DecodeContext

    /// The number of bytes decoded between two checks for cancellation.
    private static let bytesPerCancelCheck = 64 << 10

    /// The memory that a preview takes for each pixel: the rows so far, their copy, and a resampled one. libwebp holds
    /// a lossless image, or the alpha of a lossy one, as a whole: up to 5 bytes.
    static let bytesPerPixel = 3 * PixelBuffer.bytesPerPixel + 5

    /// - Parameters:
    ///   - info: The information about the image to append, checked against the limits.
    ///   - converter: Converts the colours to sRGB, or `nil`.
    /// - Throws: `TintypeError.Code.outOfMemory`.
    init(
        _ info: ImageInfo, _ converter: ColorConverter?, _ context: DecodeContext
    ) throws(TintypeError) {
        self.context = context
        pixels = try PreviewPixels(info, converter, context.options)
        let size = info.storedSize
        guard let reader = tintype_webp_incremental_create(UInt32(size.width), UInt32(size.height)) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for a WebP decoder")
        }
        self.reader = reader
    }

    deinit {
        tintype_webp_incremental_destroy(reader)
    }

    func append(_ bytes: Data) throws(TintypeError) -> Bool {
        var hasNewRows = false
        for start in stride(from: 0, to: bytes.count, by: Self.bytesPerCancelCheck) {
            try context.checkCancelled()
            let first = bytes.startIndex + start
            if try appendChunk(bytes[first..<min(first + Self.bytesPerCancelCheck, bytes.endIndex)]) {
                hasNewRows = true
            }
        }
        return hasNewRows
    }

    private func appendChunk(_ bytes: Data) throws(TintypeError) -> Bool {
        var changed = false
        let status = bytes.withUnsafeBytes { raw in
            raw.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_webp_incremental_append(reader, $0, raw.count, &changed)
            }
        }
        if let status, status != .needsMore, let error = TintypeError(status) { throw error }
        return changed
    }

    func preview() throws(TintypeError) -> Image? {
        try pixels.image { pixels, stride in
            var rows: UInt32 = 0
            return tintype_webp_incremental_preview(reader, pixels, stride, &rows) == .ok ? rows : nil
        }
    }
}
