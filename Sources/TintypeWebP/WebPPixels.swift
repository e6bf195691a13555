import CTintypeWebP
import TintypeColor
import TintypeCore

extension PixelBuffer {
    /// Decodes a still WebP, or the bytes of a frame.
    ///
    /// - Parameter size: what the file says that it is; libwebp resamples a frame that is not.
    init(
        webP bytes: UnsafeBufferPointer<UInt8>, size: PixelSize, hasAlpha: Bool, _ converter: ColorConverter?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        let hook = CancelHook(isCancelled)
        let status = writer.withRows { rows in
            guard let from = bytes.baseAddress, let to = rows.bindMemory(to: UInt8.self).baseAddress else {
                return tintype_webp_status.corrupt
            }
            return tintype_webp_decode(
                from, bytes.count, to, stride, UInt32(size.width), UInt32(size.height), CancelHook.ask, hook.pointer)
        }
        withExtendedLifetime(hook) {}
        if let error = TintypeError(status) { throw error }
        writer.convert(rows: size.height, by: converter)
        if hasAlpha { writer.premultiply(rows: size.height) }
        self = writer.finish()
    }
}
