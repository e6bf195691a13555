package import Foundation
package import TintypeCore

extension ImageFormat {
    /// The format of ``CarelessDecoder``.
    package static let careless = ImageFormat(rawValue: "careless")
}

/// A decoder that does without the files that it cannot open, or pays no attention to a limit, as its bytes name it.
package struct CarelessDecoder: AnimatedImageDecoder, RecognizingImageDecoder, SandboxableImageDecoder {
    /// What the decoder does.
    package enum Behavior: String, CaseIterable, Sendable {
        /// Returns two frames.
        case plain
        /// Misses a file when the list of the frames is read again, after the image was decoded.
        case missesFileLate
        /// Misses a file in the second frame.
        case missesFileInFrame
        /// Asks for a bitmap after its first second of processor time.
        case spendsSecond
    }

    /// Creates a decoder.
    package init() {}

    /// A worker by default, which may open files.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation, .fonts] }

    /// The format of this decoder.
    package var formats: Set<ImageFormat> { [.careless] }

    private static let signature = "careless:"
    fileprivate static let size = PixelSize(width: 2, height: 2)

    /// Returns the bytes of an image.
    package static func bytes(_ behavior: Behavior) -> Data { Data((signature + behavior.rawValue).utf8) }

    private static func behavior(_ bytes: Data) -> Behavior? {
        Behavior(rawValue: String(decoding: bytes.dropFirst(signature.count), as: UTF8.self))
    }

    /// Whether bytes begin with the signature.
    package func recognizes(_ head: Data) -> Bool { head.starts(with: Data(Self.signature.utf8)) }

    /// Returns a constant.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        ImageInfo(format: .careless, size: Self.size, frameCount: 2)
    }

    /// Returns transparent pixels of two frames.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        if Self.behavior(bytes) == .spendsSecond {
            while clock() <= CLOCKS_PER_SEC {}
            _ = try PixelWriter(size: PixelSize(width: 1024, height: 1024))
        }
        let info = ImageInfo(format: .careless, size: Self.size, frameCount: 2)
        return try animatedImage(bytes, info: info, context: context)
    }

    /// Returns two frames.
    package func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
        CarelessFrames(behavior: Self.behavior(bytes))
    }
}

extension CarelessDecoder: XMPDecoder {
    /// Returns one byte more than the limit permits.
    package func xmp(of bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> Data? {
        Data(count: limits.exifBytes + 1)
    }
}

private final class CarelessFrames: FrameDecoder {
    let canvasSize = CarelessDecoder.size
    let loopCount = 0
    private let behavior: CarelessDecoder.Behavior?
    private let readCount = Locked(0)

    init(behavior: CarelessDecoder.Behavior?) {
        self.behavior = behavior
    }

    var frames: [AnimationFrame] {
        let isLate = readCount.withLock { count in
            count += 1
            return count > 1
        }
        if isLate, behavior == .missesFileLate { Self.missFile() }
        let frame = AnimationFrame(
            rect: PixelRect(x: 0, y: 0, size: canvasSize), duration: 0.1, blend: .source)
        return [frame, frame]
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        if index == 1, behavior == .missesFileInFrame { Self.missFile() }
        var writer = try PixelWriter(size: canvasSize)
        writer.clear()
        return writer.finish()
    }

    private static func missFile() {
        guard let file = fopen("/etc/hostname", "r") else { return }
        fclose(file)
    }
}
