import CTintypePNG
import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an animated PNG, each of which libpng is given as a small PNG of its own.
///
/// `@unchecked Sendable` because the converter, its only state, is used by one thread at a time: that is the promise of
/// ``FrameDecoder``.
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
        let picture = try picture(of: index)
        let reader = try PNGReader(DecodeContext(isCancelled: isCancelled))
        return try picture.withTypedBytes { bytes throws(TintypeError) in
            guard let header = try reader.open(bytes, isComplete: true) else { throw TintypeError(.truncated, "") }
            try reader.start()
            let pixels = try reader.whole(header, converter)
            try reader.finish()
            return pixels
        }
    }

    /// A still PNG of one frame. It takes no more memory than the frame does in the file.
    private func picture(of index: Int) throws(TintypeError) -> Data {
        try bytes.withTypedBytes { bytes throws(TintypeError) in
            var picture = PNGAssembly()
            for chunk in preamble + chunks[index] {
                try chunk.check(in: bytes)
                add(chunk, bytes[chunk.data], of: index, to: &picture)
            }
            picture.add(.end, [])
            return picture.data
        }
    }

    private func add(
        _ chunk: PNGChunk, _ body: Slice<UnsafeRawBufferPointer>, of index: Int, to picture: inout PNGAssembly
    ) {
        switch chunk.kind {
        case .header: picture.add(.header, Self.header(body, frames[index].rect.size))
        // Their first four bytes are a sequence number.
        case .frameData: picture.add(.imageData, body.dropFirst(4))
        case .some(let kind): picture.add(kind, body)
        case .none: break
        }
    }

    /// The header of the whole picture with the size of a frame.
    private static func header(_ stored: Slice<UnsafeRawBufferPointer>, _ size: PixelSize) -> [UInt8] {
        let sides = [size.width, size.height].flatMap { withUnsafeBytes(of: UInt32($0).bigEndian, Array.init) }
        return sides + stored.dropFirst(8)
    }
}
