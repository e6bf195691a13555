import CTintypeWebP
import Foundation
import TintypeColor
import TintypeCore

/// libwebp decoding one still picture as it arrives, row by row.
///
/// `@unchecked Sendable` because the C object, which belongs to one thread at a time, is reached only through the lock of
/// the ``IncrementalImage`` that owns it, or by the one call that made it.
final class WebPPreviewReader: PreviewReader, @unchecked Sendable {
    private let reader: OpaquePointer
    private let pixels: PreviewPixels
    private let context: DecodeContext

    /// Bytes that are decoded between two questions whether to go on.
    private static let step = 64 << 10

    /// - Parameter info: of the bytes that are to be appended, within the limits.
    init(
        _ info: ImageInfo, _ converter: ColorConverter?, _ context: DecodeContext
    ) throws(TintypeError) {
        self.context = context
        pixels = try PreviewPixels(info, converter, context.options)
        let size = info.storedSize
        guard let reader = tintype_webp_incremental_create(UInt32(size.width), UInt32(size.height)) else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a WebP decoder")
        }
        self.reader = reader
    }

    deinit {
        tintype_webp_incremental_destroy(reader)
    }

    func append(_ bytes: Data) throws(TintypeError) -> Bool {
        var sawMore = false
        for start in stride(from: 0, to: bytes.count, by: Self.step) {
            try context.checkCancelled()
            let first = bytes.startIndex + start
            if try take(bytes[first..<min(first + Self.step, bytes.endIndex)]) { sawMore = true }
        }
        return sawMore
    }

    private func take(_ bytes: Data) throws(TintypeError) -> Bool {
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
