import CTintypeWebP
import Foundation
import TintypeCore

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
