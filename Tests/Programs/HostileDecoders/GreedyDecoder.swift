package import Foundation
package import TintypeCore

extension ImageFormat {
    /// The format of ``GreedyDecoder``.
    package static let greedy = ImageFormat(rawValue: "greedy")
}

/// A decoder that uses memory as its bytes name it. Its images have 12 MB.
package struct GreedyDecoder: RecognizingImageDecoder, SandboxableImageDecoder {
    /// What the decoder does.
    package enum Behavior: String, CaseIterable, Sendable {
        /// Returns an image.
        case plain
        /// Uses as much private memory as the limit leaves beside its image.
        case most
        /// Fills its private memory, and then asks for as much shared memory.
        case both
        /// Returns an image whose high range does not fit into memory.
        case tooLargeRange
    }

    /// Creates a decoder.
    package init() {}

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// The format of this decoder.
    package var formats: Set<ImageFormat> { [.greedy] }

    private static let signature = "greedy:"
    private static let size = PixelSize(width: 2048, height: 1536)
    private static let info = ImageInfo(format: .greedy, size: size)

    /// Returns the bytes of an image.
    package static func bytes(_ behavior: Behavior) -> Data { Data((signature + behavior.rawValue).utf8) }

    /// Whether bytes begin with the signature.
    package func recognizes(_ head: Data) -> Bool { head.starts(with: Data(Self.signature.utf8)) }

    /// Returns a constant.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? { Self.info }

    /// Uses memory, and then returns transparent pixels.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        switch Behavior(rawValue: String(decoding: bytes.dropFirst(Self.signature.count), as: UTF8.self)) {
        case .plain: return Image(pixels: try Self.pixels(Self.size), info: Self.info)
        case .most:
            let pixels = try Self.pixels(Self.size)
            _ = try Self.useMemory(context.limits.memoryBytes - 2 * pixels.byteCount) { $0 }
            return Image(pixels: pixels, info: Self.info)
        case .both:
            return try Self.useMemory(context.limits.memoryBytes) { one throws(TintypeError) in
                let size = PixelSize(width: one * 1024, height: context.limits.memoryBytes / 8192)
                return Image(pixels: try Self.pixels(size), info: Self.info)
            }
        case .tooLargeRange:
            let pixels = try Self.pixels(Self.size)
            let rows = try Self.pixels(PixelSize(width: 2 * Self.size.width, height: Self.size.height))
            return Image(pixels: pixels, info: Self.info, highRange: HighRangePixels(rows: rows))
        case nil: throw TintypeError(.undecodable, stage: .decode, "no behaviour")
        }
    }

    /// Fills private memory with ones, and calls a closure with a one before it frees it.
    private static func useMemory<Value>(
        _ byteCount: Int, _ use: (Int) throws(TintypeError) -> Value
    ) throws(TintypeError) -> Value {
        guard let memory = malloc(byteCount) else { throw .noMemory }
        memset(memory, 1, byteCount)
        defer { free(memory) }
        // Not undefined memory, so that the call above cannot be left out.
        return try use(Int(memory.load(as: UInt8.self)))
    }

    private static func pixels(_ size: PixelSize) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        writer.clear()
        return writer.finish()
    }
}

extension TintypeError {
    fileprivate static let noMemory = TintypeError(.undecodable, stage: .decode, "the private memory was refused")
}
