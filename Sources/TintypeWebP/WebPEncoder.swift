import CTintypeWebP
public import Foundation
public import TintypeCore

/// Encodes WebP with libwebp, still and animated. Of quality 1 every pixel is kept.
public struct WebPEncoder: ImageEncoder {
    /// From 0, fast, to 6, small.
    public var method: Int

    public init(method: Int = 4) {
        self.method = min(max(method, 0), 6)
    }

    public var formats: Set<ImageFormat> { [.webp] }

    /// How hard to try where nothing is lost, in hundredths: more takes long and gains little.
    private static let losslessEffort = 75.0

    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let settings = settings(options)
        let straight = pixels.isOpaque ? pixels : try pixels.unpremultiplied()
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = straight.withUnsafeBytes { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_webp_encode(
                    $0, UInt32(straight.size.width), UInt32(straight.size.height), straight.bytesPerRow,
                    settings.quality, settings.is_lossless, settings.method, &bytes, &count)
            }
        }
        guard status == .ok, let bytes else {
            let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
            throw TintypeError(code, stage: .encode, "no WebP could be made of \(pixels.size) pixels")
        }
        return Data(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { pointer, _ in tintype_webp_free(pointer.assumingMemoryBound(to: UInt8.self)) })
    }

    func settings(_ options: EncodeOptions) -> tintype_webp_settings {
        // NaN compares as false and becomes the lowest.
        let quality = options.quality > 0 ? min(options.quality, 1) : 0
        let isLossless = quality == 1
        return tintype_webp_settings(
            quality: Float(isLossless ? Self.losslessEffort : quality * 100), is_lossless: isLossless,
            method: Int32(method))
    }
}

/// Animated WebP with libwebpmux, which stores of each frame what has changed. Frames in a row that are equal become one,
/// which is shown as long as all of them. Of quality 1 every pixel is kept.
///
/// Durations are whole milliseconds, and all together at most 24 days.
extension WebPEncoder: AnimatedImageEncoder {
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let writer = try WebPAnimationWriter(animation, settings(options))
        var time = 0
        let durations = FrameDuration.ticks(animation.durations, perSecond: 1000, in: 11...Int(Int32.max))
        for index in 0..<animation.frameCount {
            try writer.add(try animation.frame(at: index), at: time)
            time += durations[index]
        }
        return try writer.finish(at: time)
    }
}

/// libwebpmux writing one animation.
struct WebPAnimationWriter: ~Copyable {
    private let animation: OpaquePointer
    private let size: PixelSize

    init(_ image: AnimatedImage, _ settings: tintype_webp_settings) throws(TintypeError) {
        size = image.size
        var animation: OpaquePointer?
        let plays = UInt32(min(image.loopCount, Int(UInt16.max)))
        let status = tintype_webp_animation_create(
            UInt32(size.width), UInt32(size.height), plays, settings, &animation)
        guard status == .ok, let animation else { throw Self.failure(status, size) }
        self.animation = animation
    }

    deinit {
        tintype_webp_animation_destroy(animation)
    }

    /// - Parameter time: when it begins to be shown, in milliseconds.
    func add(_ pixels: PixelBuffer, at time: Int) throws(TintypeError) {
        let straight = pixels.isOpaque ? pixels : try pixels.unpremultiplied()
        let milliseconds = try milliseconds(time)
        let status = straight.withUnsafeBytes { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_webp_animation_add(animation, $0, straight.bytesPerRow, milliseconds)
            }
        }
        guard status == .ok else { throw Self.failure(status, size) }
    }

    func finish(at time: Int) throws(TintypeError) -> Data {
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = tintype_webp_animation_finish(animation, try milliseconds(time), &bytes, &count)
        guard status == .ok, let bytes else { throw Self.failure(status, size) }
        return Data(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { pointer, _ in tintype_webp_free(pointer.assumingMemoryBound(to: UInt8.self)) })
    }

    private func milliseconds(_ time: Int) throws(TintypeError) -> Int32 {
        guard let milliseconds = Int32(exactly: time) else {
            throw TintypeError(.encodeFailed, stage: .encode, "an animation of \(time / 1000) s is too long for WebP")
        }
        return milliseconds
    }

    private static func failure(_ status: tintype_webp_status?, _ size: PixelSize) -> TintypeError {
        let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
        return TintypeError(code, stage: .encode, "no animated WebP could be made of \(size) pixels")
    }
}
