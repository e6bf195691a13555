import CTintypePNG
import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an animated PNG. libpng reads each frame as a small PNG of its own.
///
/// `@unchecked Sendable` because the converter, its only state, is used by one thread at a time, as ``FrameDecoder``
/// requires.
final class PNGFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let bytes: Data
    private let preamble: [PNGChunk]
    private let chunks: [[PNGChunk]]
    private let converter: ColorConverter?

    init(_ bytes: Data, _ animation: PNGAnimation, _ converter: ColorConverter?) {
        self.bytes = bytes
        self.converter = converter
        canvasSize = animation.canvasSize
        loopCount = animation.playCount
        frames = animation.frames.map(\.frame)
        chunks = animation.frames.map(\.chunks)
        preamble = animation.preamble
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        let png = try standalonePNG(of: index)
        let reader = try PNGReader(DecodeContext(isCancelled: isCancelled))
        return try png.withTypedBytes { bytes throws(TintypeError) in
            guard let header = try reader.open(bytes, isComplete: true) else { throw TintypeError(.truncated, "") }
            try reader.start()
            let pixels = try reader.readPixels(header, converter)
            try reader.finish()
            return pixels
        }
    }

    /// Returns a still PNG of one frame, which takes about as much memory as the frame does in the file.
    private func standalonePNG(of index: Int) throws(TintypeError) -> Data {
        try bytes.withTypedBytes { bytes throws(TintypeError) in
            var png = PNGChunkWriter()
            for chunk in preamble + chunks[index] {
                try chunk.check(in: bytes)
                append(chunk, bytes[chunk.data], of: index, to: &png)
            }
            png.append(.end, [])
            return png.data
        }
    }

    private func append(
        _ chunk: PNGChunk, _ body: Slice<UnsafeRawBufferPointer>, of index: Int, to png: inout PNGChunkWriter
    ) {
        switch chunk.kind {
        case .header: png.append(.header, Self.header(body, frames[index].rect.size))
        // Frame data start with a four-byte sequence number.
        case .frameData: png.append(.imageData, body.dropFirst(4))
        case .some(let kind): png.append(kind, body)
        case .none: break
        }
    }

    /// Returns the file's header with the size of a frame.
    private static func header(_ stored: Slice<UnsafeRawBufferPointer>, _ size: PixelSize) -> [UInt8] {
        let sides = [size.width, size.height].flatMap { withUnsafeBytes(of: UInt32($0).bigEndian, Array.init) }
        return sides + stored.dropFirst(8)
    }
}
