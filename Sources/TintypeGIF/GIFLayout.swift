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
    /// - Parameter keepsCutImage: whether the last one need not be whole, and what makes no sense after one ends the file.
    /// - Throws: as for a whole file.
    init?(
        arrived raw: UnsafeRawBufferPointer, maximumImages: Int, keepsCutImage: Bool = false
    ) throws(TintypeError) {
        guard var blocks = try? GIFBlocks(raw, keepsCutImage: keepsCutImage) else { return nil }
        var images: [GIFImage] = []
        // Ends with the bytes, too.
        while let image = try? blocks.nextImage() {
            guard images.count < maximumImages else { throw .tooManyImages(maximumImages) }
            if keepsCutImage, !images.isEmpty, case .failure = image { break }
            images.append(try image.get())
        }
        guard !images.isEmpty else { return nil }
        (canvasSize, playCount, self.images) = (blocks.canvasSize, blocks.playCount, images)
    }
}
