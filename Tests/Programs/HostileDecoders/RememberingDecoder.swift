package import Foundation
package import TintypeCore

extension ImageFormat {
    /// The format of ``RememberingDecoder``.
    package static let remembering = ImageFormat(rawValue: "remembering")
}

/// A decoder in a worker that has been taken over: its images show whose bytes the worker has seen.
package struct RememberingDecoder: AnimatedImageDecoder, RecognizingImageDecoder, SandboxableImageDecoder {
    /// What one worker has seen so far.
    package struct Memory: Hashable, Sendable {
        /// The number of owners of images.
        package var owners: Int
        /// The number of different images.
        package var images: Int
    }

    /// Creates a decoder.
    package init() {}

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// The format of this decoder.
    package var formats: Set<ImageFormat> { [.remembering] }

    private static let signature = "remember:"

    /// Returns the bytes of an image that belongs to an owner.
    package static func bytes(owner: UInt8, number: UInt8) -> Data { Data(signature.utf8) + [owner, number] }

    /// Whether bytes begin with the signature.
    package func recognizes(_ head: Data) -> Bool { head.starts(with: Data(Self.signature.utf8)) }

    /// Remembers the image, and returns a constant.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        Self.remember(bytes)
        return ImageInfo(format: .remembering, size: PixelSize(width: 1, height: 1), frameCount: 2)
    }

    /// Remembers the image. Its frames show what the worker has seen when they are decoded.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let info = ImageInfo(format: .remembering, size: PixelSize(width: 1, height: 1), frameCount: 2)
        return try animatedImage(bytes, info: info, context: context)
    }

    /// Remembers the image, and returns two frames.
    package func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
        Self.remember(bytes)
        return RememberingFrames()
    }

    /// Returns what the worker of a frame had seen.
    package static func memory(in pixels: PixelBuffer) -> Memory {
        Memory(owners: Int(pixels[0, 0].red), images: Int(pixels[0, 0].green))
    }

    private static let seen = Locked<Set<[UInt8]>>([])

    private static func remember(_ bytes: Data) {
        seen.withLock { _ = $0.insert(Array(bytes.suffix(2))) }
    }

    /// A pixel that shows what this process has seen.
    fileprivate static func pixels() throws(TintypeError) -> PixelBuffer {
        let seen = seen.withLock { $0 }
        var writer = try PixelWriter(size: PixelSize(width: 1, height: 1))
        writer.withRows { row in
            (row[0], row[1]) = (UInt8(clamping: Set(seen.map(\.first)).count), UInt8(clamping: seen.count))
            (row[2], row[3]) = (0, 255)
        }
        return writer.finish()
    }
}

private final class RememberingFrames: FrameDecoder {
    let canvasSize = PixelSize(width: 1, height: 1)
    let loopCount = 0
    let frames = [0.1, 0.1].map {
        AnimationFrame(rect: PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1)), duration: $0, blend: .source)
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        try RememberingDecoder.pixels()
    }
}
