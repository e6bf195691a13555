import CTintypeWebP
import Foundation
import TintypeColor
import TintypeCore

/// libwebp decoding one still picture as it arrives, row by row.
///
/// `@unchecked Sendable` because the C object, which belongs to one thread at a time, is reached only through the lock of
/// the ``IncrementalWebPDecoder`` that owns it, or by the one call that made it.
final class WebPPreviewReader: @unchecked Sendable {
    private let reader: OpaquePointer
    private let info: ImageInfo
    private let target: DecodeTarget
    private let scale: Double
    private let converter: ColorConverter?
    private let context: DecodeContext

    /// Bytes that are decoded between two questions whether to go on.
    private static let step = 64 << 10

    /// - Parameter info: of the bytes that are to be appended, within the limits.
    init(
        _ info: ImageInfo, _ converter: ColorConverter?, _ context: DecodeContext
    ) throws(TintypeError) {
        self.info = info
        self.converter = converter
        self.context = context
        target = try DecodeTarget(info, context.options)
        scale = context.options.scale ?? 1
        let size = info.storedSize
        guard let reader = tintype_webp_incremental_create(UInt32(size.width), UInt32(size.height)) else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a WebP decoder")
        }
        self.reader = reader
    }

    deinit {
        tintype_webp_incremental_destroy(reader)
    }

    /// Decodes the next bytes; returns whether there is more to see.
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

    /// What has come, also after a failure; `nil` while that is nothing.
    func preview() throws(TintypeError) -> Image? {
        var writer = try PixelWriter(size: info.storedSize)
        let stride = writer.bytesPerRow
        var rows: UInt32 = 0
        let status = writer.withRows { pixels in
            pixels.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_webp_incremental_preview(reader, $0, stride, &rows)
            }
        }
        guard status == .ok else { return nil }
        writer.convert(rows: Int(rows), by: converter)
        if info.hasAlpha { writer.premultiply(rows: Int(rows)) }
        let pixels = try writer.finish().resampled(crop: target.part, to: target.size, filter: .bilinear)
        return Image(pixels: try pixels.oriented(info.orientation), info: info, scale: scale)
    }
}
