import Foundation
import TintypeCore

/// Assembles an animated PNG from one still PNG per frame.
struct PNGAnimationWriter {
    private var chunks = PNGChunkWriter()
    private var sequenceNumber: UInt32 = 0
    /// The body of the animation control chunk: the numbers of frames and of plays.
    private let control: [UInt8]

    init(_ animation: AnimatedImage) {
        let plays = UInt32(min(animation.loopCount, Int(Int32.max)))
        control = UInt32(animation.frameCount).bigEndianBytes + plays.bigEndianBytes
    }

    /// Appends a frame. The first frame must cover the canvas. All frames have its layout and palette.
    ///
    /// - Parameters:
    ///   - png: The pixels of `rect` alone, encoded by libpng.
    ///   - rect: The position on the canvas, in pixels.
    ///   - duration: The duration in seconds.
    /// - Throws: `TintypeError.Code.undecodable` if `png` is not a complete PNG.
    mutating func append(_ png: Data, at rect: PixelRect, duration: Double) throws(TintypeError) {
        let isFirst = sequenceNumber == 0
        try png.withTypedBytes { bytes throws(TintypeError) in
            var source = PNGChunks(bytes)
            var hasControl = false
            while true {
                let chunk = try source.next()
                switch chunk.kind {
                case .header where isFirst:
                    chunks.append(.header, bytes[chunk.data])
                    chunks.append(.animationControl, control)
                case .palette where isFirst: chunks.append(.palette, bytes[chunk.data])
                case .transparency where isFirst: chunks.append(.transparency, bytes[chunk.data])
                case .imageData:
                    if !hasControl { appendControl(rect, duration) }
                    hasControl = true
                    appendPixels(bytes[chunk.data], isFirst: isFirst)
                case .end: return
                default: break
                }
            }
        }
    }

    /// Returns the complete file.
    func finish() -> Data {
        var chunks = chunks
        chunks.append(.end, [])
        return chunks.data
    }

    private mutating func appendPixels(_ compressed: Slice<UnsafeRawBufferPointer>, isFirst: Bool) {
        if isFirst { return chunks.append(.imageData, compressed) }
        chunks.append(.frameData, nextSequenceNumber() + compressed)
    }

    /// Appends a frame control chunk. The frame is not disposed (0) and replaces the canvas below it (0).
    private mutating func appendControl(_ rect: PixelRect, _ duration: Double) {
        let numbers = [rect.size.width, rect.size.height, rect.x, rect.y].flatMap { UInt32($0).bigEndianBytes }
        let delay = PNGDelay(duration)
        let time = [delay.numerator, delay.denominator].flatMap(\.bigEndianBytes)
        chunks.append(.frameControl, nextSequenceNumber() + numbers + time + [0, 0])
    }

    /// Returns the next sequence number. Frame control and frame data chunks are counted together.
    private mutating func nextSequenceNumber() -> [UInt8] {
        defer { sequenceNumber += 1 }
        return sequenceNumber.bigEndianBytes
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}

/// A duration as an animated PNG stores it: a fraction of two 16-bit numbers, in seconds.
struct PNGDelay: Equatable {
    var numerator: UInt16
    var denominator: UInt16

    /// The convergent of the continued fraction that is nearest to `seconds`.
    ///
    /// A fraction of 16-bit numbers is restored exactly. Durations below 1/65,535 s become 0, and those above 65,535 s
    /// become 65,535 s.
    init(_ seconds: Double) {
        var (previous, last) = ((0.0, 1.0), (1.0, 0.0))
        var rest = min(max(seconds, 0), Double(UInt16.max))
        while true {
            let integer = rest.rounded(.down)
            let next = (integer * last.0 + previous.0, integer * last.1 + previous.1)
            guard max(next.0, next.1) <= Double(UInt16.max) else { break }
            (previous, last) = (last, next)
            // The rest of a stored fraction is the rounding error of its division.
            guard rest - integer > Self.tolerance else { break }
            rest = 1 / (rest - integer)
        }
        (numerator, denominator) = (UInt16(last.0), UInt16(last.1))
    }

    /// The largest remainder that counts as rounding error.
    private static let tolerance = 1e-6
}
