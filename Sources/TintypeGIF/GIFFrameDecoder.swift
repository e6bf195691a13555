import CTintypeGIF
import Foundation
import TintypeCore

/// Decodes the images of a GIF, each independently.
///
/// Thread-safe: it has no mutable state.
final class GIFFrameDecoder: FrameDecoder {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let bytes: Data
    private let images: [GIFImage]
    private let toleratesDamage: Bool

    /// - Parameters:
    ///   - layout: The layout of `bytes`.
    ///   - toleratesDamage: Whether to show the rows of a damaged image that precede the damage. Otherwise it is an
    ///     error.
    init(_ bytes: Data, _ layout: GIFLayout, toleratesDamage: Bool = false) {
        self.bytes = bytes
        self.toleratesDamage = toleratesDamage
        canvasSize = layout.canvasSize
        loopCount = layout.playCount
        images = layout.images
        frames = layout.images.map(\.frame)
    }

    /// Decodes an image.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`,
    ///   which is checked before each part of 64 KB.
    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        let image = images[index]
        var writer = try PixelWriter(size: image.frame.rect.size)
        if toleratesDamage { writer.clear() }
        let stride = writer.bytesPerRow
        let hook = CancelHook(isCancelled)
        var rowsRead: UInt32 = 0
        let status = bytes.withUnsafeBytes { bytes in
            let colors = image.palette.rgba(in: bytes, transparentIndex: image.transparentIndex)
            let compressed = UnsafeRawBufferPointer(rebasing: bytes[image.range])
            return writer.withRows { rows in
                guard let source = compressed.bindMemory(to: UInt8.self).baseAddress,
                    let target = rows.bindMemory(to: UInt8.self).baseAddress
                else { return tintype_gif_status.corrupt }
                return tintype_gif_decode(
                    source, compressed.count, colors, target, stride, UInt32(image.frame.rect.size.width),
                    UInt32(image.frame.rect.size.height), CancelHook.callback, hook.pointer, &rowsRead)
            }
        }
        withExtendedLifetime(hook) {}
        let isSalvaged = toleratesDamage && status == .corrupt && rowsRead > 0
        if !isSalvaged, let error = TintypeError(status) { throw error }
        return writer.finish()
    }
}
