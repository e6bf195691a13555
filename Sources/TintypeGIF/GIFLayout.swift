import Foundation
import TintypeCore

/// The canvas of a GIF and the properties of its images.
struct GIFLayout {
    /// Large enough for the first image.
    let canvasSize: PixelSize
    /// The damage that was tolerated.
    let warnings: [DamageWarning]
    /// The total number of plays; 0 is forever.
    let playCount: Int
    let images: [GIFImage]

    /// Reads the layout of a file.
    ///
    /// - Parameters:
    ///   - isComplete: Whether `raw` is the whole file.
    ///   - maxImages: The number of images above which reading stops, so that no memory is allocated for more.
    ///   - tolerance: The damage that is no error.
    /// - Returns: `nil` if `raw` is a prefix that ends before the last image.
    /// - Throws: `TintypeError.Code.undecodable`; `TintypeError.Code.limitExceeded` above `maxImages`.
    init?(
        _ raw: UnsafeRawBufferPointer, isComplete: Bool, maxImages: Int,
        tolerance: DecodeOptions.DamageTolerance = .minor
    ) throws(TintypeError) {
        do {
            var reader = try GIFBlockReader(raw, isComplete: isComplete, tolerance: tolerance)
            var images: [GIFImage] = []
            while let image = try reader.nextImage() {
                guard images.count < maxImages else {
                    throw TintypeError.tooManyImages(maxImages)
                }
                images.append(try image.get())
            }
            guard !images.isEmpty else { throw TintypeError.damagedGIF("it has no image") }
            self.init(reader, images)
            guard tolerance == .minor || warnings.isEmpty else {
                throw TintypeError.damagedGIF("its canvas is smaller than its first image")
            }
        } catch let error as TintypeError {
            throw error
        } catch {
            guard isComplete else { return nil }
            throw .truncatedGIF
        }
    }

    /// Reads the layout of the images that are complete in the first bytes of a file; `nil` if none is.
    ///
    /// - Parameter acceptsTruncatedImage: Whether the last image may be incomplete, and damage after an image ends the
    ///   file.
    /// - Throws: As for a whole file.
    init?(
        arrived raw: UnsafeRawBufferPointer, maxImages: Int, acceptsTruncatedImage: Bool = false
    ) throws(TintypeError) {
        guard var reader = try? GIFBlockReader(raw, acceptsTruncatedImage: acceptsTruncatedImage) else { return nil }
        var images: [GIFImage] = []
        // Also ends where the bytes end.
        while let image = try? reader.nextImage() {
            guard images.count < maxImages else { throw .tooManyImages(maxImages) }
            if acceptsTruncatedImage, !images.isEmpty, case .failure = image { break }
            images.append(try image.get())
        }
        guard !images.isEmpty else { return nil }
        self.init(reader, images)
    }

    private init(_ reader: GIFBlockReader, _ images: [GIFImage]) {
        (playCount, self.images) = (reader.playCount, images)
        canvasSize = images.first.map { reader.canvasSize.enlarged(toShow: $0.frame.rect) } ?? reader.canvasSize
        warnings = reader.warnings(canvas: canvasSize)
    }
}

/// Collects the ``ImageInfo`` of a GIF image by image. It keeps only the duration of each.
struct GIFSummary {
    private var canvasSize: PixelSize
    private var durations: [Double] = []
    /// Whether the canvas may show through the first image, or through any image with transparent pixels.
    private var hasTransparency = false
    /// Whether any image is cleared after it is shown.
    private var clearsImages = false

    init(canvasSize: PixelSize) {
        self.canvasSize = canvasSize
    }

    init(_ layout: GIFLayout) {
        self.init(canvasSize: layout.canvasSize)
        for image in layout.images { add(image.frame) }
    }

    /// Reads a whole file or its beginning, without storing its images.
    ///
    /// - Parameter maxImages: The number of images above which reading stops.
    /// - Returns: `nil` if `raw` is a prefix that ends before the last image.
    /// - Throws: As ``GIFLayout``.
    static func info(
        _ raw: UnsafeRawBufferPointer, isComplete: Bool, maxImages: Int
    ) throws(TintypeError) -> ImageInfo? {
        do {
            var reader = try GIFBlockReader(raw, isComplete: isComplete)
            var summary = GIFSummary(canvasSize: reader.canvasSize)
            while let image = try reader.nextImage() {
                guard summary.durations.count < maxImages else { throw TintypeError.tooManyImages(maxImages) }
                summary.add(try image.get().frame)
            }
            guard !summary.durations.isEmpty else { throw TintypeError.damagedGIF("it has no image") }
            return summary.info(playCount: reader.playCount, reader.warnings(canvas: summary.canvasSize))
        } catch let error as TintypeError {
            throw error
        } catch {
            guard isComplete else { return nil }
            throw .truncatedGIF
        }
    }

    private mutating func add(_ frame: AnimationFrame) {
        if durations.isEmpty { canvasSize = canvasSize.enlarged(toShow: frame.rect) }
        hasTransparency = hasTransparency || frame.hasAlpha || durations.isEmpty && !coversCanvas(frame.rect)
        clearsImages = clearsImages || frame.disposal == .background
        durations.append(frame.duration)
    }

    private func coversCanvas(_ rect: PixelRect) -> Bool {
        rect.x == 0 && rect.y == 0 && rect.size.width >= canvasSize.width && rect.size.height >= canvasSize.height
    }

    func info(playCount: Int, _ warnings: [DamageWarning]) -> ImageInfo {
        let isAnimated = durations.count > 1
        var info = ImageInfo(
            format: .gif, size: canvasSize, hasAlpha: hasTransparency || isAnimated && clearsImages,
            frameCount: durations.count, loopCount: isAnimated ? playCount : 0, durations: isAnimated ? durations : [])
        info.warnings = warnings
        return info
    }
}
