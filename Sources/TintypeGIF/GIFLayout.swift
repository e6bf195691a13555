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

/// What is told of a GIF, gathered image by image; of each it keeps the duration alone.
struct GIFSummary {
    private let canvasSize: PixelSize
    private var durations: [Double] = []
    /// Whether something of the canvas may be seen through: what the first image leaves, and what any image has.
    private var hasHoles = false
    /// Whether one is cleared away again.
    private var isCleared = false

    init(canvasSize: PixelSize) {
        self.canvasSize = canvasSize
    }

    init(_ layout: GIFLayout) {
        self.init(canvasSize: layout.canvasSize)
        for image in layout.images { add(image.frame) }
    }

    /// Walks a whole file, or its beginning.
    ///
    /// - Parameter maximumImages: where to stop.
    /// - Returns: `nil` when the bytes are a prefix that ends before the last image.
    /// - Throws: as ``GIFLayout``.
    static func info(
        _ raw: UnsafeRawBufferPointer, isComplete: Bool, maximumImages: Int
    ) throws(TintypeError) -> ImageInfo? {
        do {
            var blocks = try GIFBlocks(raw)
            var summary = GIFSummary(canvasSize: blocks.canvasSize)
            while let image = try blocks.nextImage() {
                guard summary.durations.count < maximumImages else { throw TintypeError.tooManyImages(maximumImages) }
                summary.add(try image.get().frame)
            }
            guard !summary.durations.isEmpty else { throw TintypeError.damagedGIF("it has no image") }
            return summary.info(playCount: blocks.playCount)
        } catch let error as TintypeError {
            throw error
        } catch {
            guard isComplete else { return nil }
            throw .truncatedGIF
        }
    }

    private mutating func add(_ frame: AnimationFrame) {
        hasHoles = hasHoles || frame.hasAlpha || durations.isEmpty && !covers(frame.rect)
        isCleared = isCleared || frame.disposal == .background
        durations.append(frame.duration)
    }

    private func covers(_ rect: PixelRect) -> Bool {
        rect.x == 0 && rect.y == 0 && rect.size.width >= canvasSize.width && rect.size.height >= canvasSize.height
    }

    func info(playCount: Int) -> ImageInfo {
        let isAnimated = durations.count > 1
        return ImageInfo(
            format: .gif, size: canvasSize, hasAlpha: hasHoles || isAnimated && isCleared,
            frameCount: durations.count, loopCount: isAnimated ? playCount : 0, durations: isAnimated ? durations : [])
    }
}
