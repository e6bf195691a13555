import CTintypePNG
import Foundation
import TintypeColor
import TintypeCore

/// Decodes one still image with libpng as it arrives: rows from the top, or the passes of an interlaced image.
///
/// `@unchecked Sendable` because the C object is used by one thread at a time: under the lock of the
/// ``IncrementalImage`` that owns this reader, or by the one call that created it.
final class PNGPreviewReader: PreviewReader, @unchecked Sendable {
    private let reader: OpaquePointer
    private let hook: CancelHook
    private let pixels: PreviewPixels

    /// The memory that a preview takes for each pixel: the rows so far, their copy, and a resampled or turned one.
    static let bytesPerPixel = 3 * PixelBuffer.bytesPerPixel

    /// - Parameters:
    ///   - header: The header of the bytes to append, checked against the limits.
    ///   - converter: Converts the colours to sRGB, or `nil`.
    /// - Throws: `TintypeError.Code.outOfMemory`.
    init(
        _ header: tintype_png_header, _ info: ImageInfo, _ converter: ColorConverter?, _ context: DecodeContext
    ) throws(TintypeError) {
        pixels = try PreviewPixels(info, converter, context.options)
        hook = CancelHook(context.isCancelled)
        let limits = tintype_png_limits(context.limits)
        guard let reader = tintype_png_incremental_create(limits, CancelHook.callback, hook.pointer) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for a PNG decoder")
        }
        self.reader = reader
    }

    deinit {
        tintype_png_incremental_destroy(reader)
    }

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

    func preview() throws(TintypeError) -> Image? {
        try pixels.image { pixels, stride in
            var rows: UInt32 = 0
            return tintype_png_incremental_preview(reader, pixels, stride, &rows) == .ok ? rows : nil
        }
    }
}
