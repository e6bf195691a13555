import Foundation
import TintypeCore

/// What a whole GIF says of itself and its images.
struct GIFLayout {
    let canvasSize: PixelSize
    let playCount: Int
    let images: [GIFImage]

    /// - Parameter maximumImages: where to stop, so that memory is not claimed for more.
    /// - Returns: `nil` when the bytes are a prefix that ends before the last image.
    /// - Throws: ``TintypeError/Code/undecodable``; ``TintypeError/Code/limitExceeded`` above `maximumImages`.
    init?(_ raw: UnsafeRawBufferPointer, isComplete: Bool, maximumImages: Int) throws(TintypeError) {
        do {
            var blocks = try GIFBlocks(raw)
            var images: [GIFImage] = []
            while let image = try blocks.nextImage() {
                guard images.count < maximumImages else {
                    throw TintypeError.tooManyImages(maximumImages)
                }
                images.append(try image.get())
            }
            guard !images.isEmpty else { throw TintypeError.damagedGIF("it has no image") }
            (canvasSize, playCount, self.images) = (blocks.canvasSize, blocks.playCount, images)
        } catch let error as TintypeError {
            throw error
        } catch {
            guard isComplete else { return nil }
            throw .truncatedGIF
        }
    }

    /// What the first bytes of a file tell of the images that are whole in them; `nil` when none is.
    ///
    /// - Throws: as for a whole file.
    init?(arrived raw: UnsafeRawBufferPointer, maximumImages: Int) throws(TintypeError) {
        guard var blocks = try? GIFBlocks(raw) else { return nil }
        var images: [GIFImage] = []
        // Ends with the bytes, too.
        while let image = try? blocks.nextImage() {
            guard images.count < maximumImages else { throw .tooManyImages(maximumImages) }
            images.append(try image.get())
        }
        guard !images.isEmpty else { return nil }
        (canvasSize, playCount, self.images) = (blocks.canvasSize, blocks.playCount, images)
    }

    /// Where no image paints, and where one is cleared away, nothing is to be seen.
    var hasAlpha: Bool {
        guard images.count > 1 else { return images.contains { $0.frame.hasAlpha || !covers($0.frame.rect) } }
        return images.contains { $0.frame.hasAlpha || $0.frame.disposal == .background }
            || !covers(images[0].frame.rect)
    }

    private func covers(_ rect: PixelRect) -> Bool {
        rect.x == 0 && rect.y == 0 && rect.size.width >= canvasSize.width && rect.size.height >= canvasSize.height
    }
}
