import CTintypePNG
import Foundation
import TintypeColor
import TintypeCore

/// libpng decoding one still picture as it arrives: rows from the top, or the passes of an interlaced one.
///
/// `@unchecked Sendable` because the C object, which belongs to one thread at a time, is reached only through the lock of
/// the ``IncrementalPNGDecoder`` that owns it, or by the one call that made it.
final class PNGPreviewReader: @unchecked Sendable {
    private let reader: OpaquePointer
    private let hook: CancelHook
    private let info: ImageInfo
    private let target: DecodeTarget
    private let scale: Double
    private let converter: ColorConverter?

    /// - Parameter header: of the bytes that are to be appended, within the limits.
    init(
        _ header: tintype_png_header, _ info: ImageInfo, _ converter: ColorConverter?, _ context: DecodeContext
    ) throws(TintypeError) {
        self.info = info
        self.converter = converter
        target = try DecodeTarget(info, context.options)
        scale = context.options.scale ?? 1
        hook = CancelHook(context.isCancelled)
        let limits = tintype_png_limits(context.limits)
        guard let reader = tintype_png_incremental_create(limits, CancelHook.ask, hook.pointer) else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a PNG decoder")
        }
        self.reader = reader
    }

    deinit {
        tintype_png_incremental_destroy(reader)
    }

    /// Decodes the next bytes; returns whether there is more to see.
    func append(_ bytes: Data) throws(TintypeError) -> Bool {
        var changed = false
        let status = bytes.withUnsafeBytes { raw in
            raw.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_png_incremental_append(reader, $0, raw.count, &changed)
            }
        }
        guard let status, status != .ok else { return changed }
        throw TintypeError(status, String(cString: tintype_png_incremental_message(reader)))
    }

    /// What has come, also after a failure; `nil` while that is nothing.
    func preview() throws(TintypeError) -> Image? {
        var writer = try PixelWriter(size: info.storedSize)
        let stride = writer.bytesPerRow
        var rows: UInt32 = 0
        let status = writer.withRows { pixels in
            pixels.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_png_incremental_preview(reader, $0, stride, &rows)
            }
        }
        guard status == .ok else { return nil }
        writer.convert(rows: Int(rows), by: converter)
        if info.hasAlpha { writer.premultiply(rows: Int(rows)) }
        let pixels = try writer.finish().resampled(crop: target.part, to: target.size, filter: .bilinear)
        return Image(pixels: try pixels.oriented(info.orientation), info: info, scale: scale)
    }
}
