import CTintypeWebP
package import Foundation
package import TintypeCore

/// Encodes WebP with libwebp, still and animated. At a quality of 1 the encoding is lossless, unless the options say
/// otherwise.
///
/// ``EncodeOptions/effort`` from 0 to 1 is a method of 0 to 6 or, for lossless encoding, libwebp's level of 0 to 9.
/// Lossy files are 4:2:0; ``EncodeOptions/Chroma/sharp420`` uses sharp YUV, and so do 4:2:2 and 4:4:4.
///
/// Any thread may use an encoder.
package struct WebPEncoder: ImageEncoder {
    /// The effort, from 0 (fastest) to 6 (smallest).
    package var method: Int

    /// Creates a WebP encoder.
    ///
    /// - Parameter method: The effort; clamped to 0…6.
    package init(method: Int = 4) {
        self.method = min(max(method, 0), 6)
    }

    /// The formats that this encoder writes: WebP.
    package var formats: Set<ImageFormat> { [.webp] }

    /// The effort of lossless encoding, from 0 to 100. Higher values take much longer for little gain.
    private static let losslessEffort = 75.0

    /// Encodes `pixels` at the quality of `options`.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, `TintypeError.Code.outOfMemory`.
    package func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let settings = settings(options)
        let straight = pixels.isOpaque ? pixels : try pixels.unpremultiplied()
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = straight.withUnsafeBytes { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_webp_encode(
                    $0, UInt32(straight.size.width), UInt32(straight.size.height), straight.bytesPerRow, settings,
                    &bytes, &count)
            }
        }
        guard status == .ok, let bytes else {
            let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
            throw TintypeError(code, stage: .encode, "encoding a WebP of \(pixels.size) pixels failed")
        }
        return Data(takingOver: bytes, count: count, freedBy: tintype_webp_free)
    }

    /// Returns libwebp's settings for `options`.
    func settings(_ options: EncodeOptions) -> tintype_webp_settings {
        let isLossless = options.isLossless
        let level = isLossless ? options.effort(from: 0, to: 9) : nil
        return tintype_webp_settings(
            quality: Float(isLossless ? Self.losslessEffort : options.usedQuality * 100), is_lossless: isLossless,
            method: Int32(options.effort(from: 0, to: 6) ?? method), level: Int32(level ?? -1),
            is_sharp: [.sharp420, .yuv422, .yuv444].contains(options.chroma))
    }
}

/// Encodes animated WebP with libwebpmux, which stores the changes between frames.
///
/// Consecutive equal frames become one with the sum of their durations. Durations are whole milliseconds, at least 11
/// ms each, and at most 24 days in total.
extension WebPEncoder: AnimatedImageEncoder {
    /// Encodes the frames of `animation` at the quality of `options`.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` also if the animation is too long,
    ///   `TintypeError.Code.outOfMemory`, and the errors of decoding the frames.
    package func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let writer = try WebPAnimationWriter(animation, settings(options))
        var time = 0
        let durations = FrameDuration.ticks(animation.durations, perSecond: 1000, in: 11...Int(Int32.max))
        for index in 0..<animation.frameCount {
            try writer.append(try animation.frame(at: index), at: time)
            time += durations[index]
        }
        return try writer.finish(at: time)
    }
}

/// Writes one animation with libwebpmux.
struct WebPAnimationWriter: ~Copyable {
    private let animation: OpaquePointer
    private let size: PixelSize

    /// - Throws: `TintypeError.Code.encodeFailed`, `TintypeError.Code.outOfMemory`.
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

    /// Appends a frame.
    ///
    /// - Parameter time: The time at which it begins, in milliseconds from the start.
    /// - Throws: `TintypeError.Code.encodeFailed`, `TintypeError.Code.outOfMemory`.
    func append(_ pixels: PixelBuffer, at time: Int) throws(TintypeError) {
        let straight = pixels.isOpaque ? pixels : try pixels.unpremultiplied()
        let milliseconds = try milliseconds(time)
        let status = straight.withUnsafeBytes { rows in
            rows.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_webp_animation_add(animation, $0, straight.bytesPerRow, milliseconds)
            }
        }
        guard status == .ok else { throw Self.failure(status, size) }
    }

    /// Returns the file. The last frame ends at `time` milliseconds.
    func finish(at time: Int) throws(TintypeError) -> Data {
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = tintype_webp_animation_finish(animation, try milliseconds(time), &bytes, &count)
        guard status == .ok, let bytes else { throw Self.failure(status, size) }
        return Data(takingOver: bytes, count: count, freedBy: tintype_webp_free)
    }

    private func milliseconds(_ time: Int) throws(TintypeError) -> Int32 {
        guard let milliseconds = Int32(exactly: time) else {
            throw TintypeError(.encodeFailed, stage: .encode, "an animation of \(time / 1000) s is too long for WebP")
        }
        return milliseconds
    }

    private static func failure(_ status: tintype_webp_status?, _ size: PixelSize) -> TintypeError {
        let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
        return TintypeError(code, stage: .encode, "encoding an animated WebP of \(size) pixels failed")
    }
}
