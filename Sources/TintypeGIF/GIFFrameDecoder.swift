import CTintypeGIF
import Foundation
import TintypeCore

/// Decodes the images of a GIF with giflib, each on its own.
final class GIFFrameDecoder: FrameDecoder {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let bytes: Data
    private let images: [GIFImage]
    private let toleratesDamage: Bool

    /// - Parameter toleratesDamage: whether of an image that is damaged the rows before that are shown.
    init(_ bytes: Data, _ layout: GIFLayout, toleratesDamage: Bool = false) {
        self.bytes = bytes
        self.toleratesDamage = toleratesDamage
        canvasSize = layout.canvasSize
        loopCount = layout.playCount
        images = layout.images
        frames = layout.images.map(\.frame)
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        let image = images[index]
        var writer = try PixelWriter(size: image.frame.rect.size)
        if toleratesDamage { writer.clear() }
        let stride = writer.bytesPerRow
        let hook = CancelHook(isCancelled)
        var rowsRead: UInt32 = 0
        let status = bytes.withUnsafeBytes { bytes in
            let colors = Self.colors(bytes[image.palette], image.transparentIndex)
            let compressed = UnsafeRawBufferPointer(rebasing: bytes[image.place])
            return writer.withRows { rows in
                guard let from = compressed.bindMemory(to: UInt8.self).baseAddress,
                    let to = rows.bindMemory(to: UInt8.self).baseAddress
                else { return tintype_gif_status.corrupt }
                return tintype_gif_decode(
                    from, compressed.count, colors, to, stride, UInt32(image.frame.rect.size.width),
                    UInt32(image.frame.rect.size.height), CancelHook.callback, hook.pointer, &rowsRead)
            }
        }
        withExtendedLifetime(hook) {}
        let isShown = toleratesDamage && status == .corrupt && rowsRead > 0
        if !isShown, let error = TintypeError(status) { throw error }
        return writer.finish()
    }

    /// A colour for each value that a pixel can have: transparent for the one that is said to be, and for those that the
    /// palette does not have, as browsers do.
    static func colors(_ palette: Slice<UnsafeRawBufferPointer>, _ transparentIndex: UInt8?) -> [UInt8] {
        var colors = [UInt8](repeating: 0, count: 256 * PixelBuffer.bytesPerPixel)
        for (index, place) in stride(from: palette.startIndex, to: palette.endIndex, by: 3).enumerated()
        where transparentIndex.map(Int.init) != index {
            for channel in 0..<3 { colors[4 * index + channel] = palette[place + channel] }
            colors[4 * index + 3] = 255
        }
        return colors
    }
}
