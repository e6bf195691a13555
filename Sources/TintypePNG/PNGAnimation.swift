import CTintypePNG
import Foundation
import TintypeCore

/// The frames of an animated PNG and the positions of their data in the file (PNG third edition, 11.3.6).
struct PNGAnimation {
    /// A frame and the chunks that hold its compressed rows.
    struct Frame {
        /// The position, duration and disposal of the frame.
        var frame: AnimationFrame
        /// The IDAT or fdAT chunks of the frame, in file order.
        var chunks: [PNGChunk] = []
    }

    /// The size of the canvas in pixels.
    let canvasSize: PixelSize
    /// The number of times that the animation plays; 0 means forever.
    let playCount: Int
    /// The frames in the order of showing.
    private(set) var frames: [Frame] = []
    /// Whether the default image, which programs without animation support show, is the first frame.
    private(set) var isDefaultImageFirst = false
    /// The chunks before the pixels that every frame needs: header, palette and transparent colours.
    private(set) var preamble: [PNGChunk] = []
    private var nextSequenceNumber: UInt32 = 0
    private var hasUncountedFrames = false
    private let hasAlpha: Bool
    /// The number of frames that the acTL chunk states; 0 without such a chunk.
    private let declaredFrameCount: Int

    /// Reads the chunks of a complete file in place. The header has been checked; the checksums of frame data have not.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated.
    init(_ bytes: Data, _ header: tintype_png_header) throws(TintypeError) {
        self.init(header)
        try bytes.withTypedBytes { bytes throws(TintypeError) in try read(bytes) }
        guard frames.count == max(1, declaredFrameCount), frames.allSatisfy({ !$0.chunks.isEmpty }) else {
            throw TintypeError(.corrupt, "frames are missing")
        }
    }

    /// Reads the chunks of a prefix of a file, and keeps the frames that are complete in it.
    ///
    /// A frame is complete once the next chunk of another frame, or the end chunk, has begun.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged.
    init(arrived bytes: Data, _ header: tintype_png_header) throws(TintypeError) {
        self.init(header)
        try bytes.withTypedBytes { bytes throws(TintypeError) in
            var chunks = PNGChunks(bytes)
            var isEnded = false
            while !isEnded, let chunk = try? chunks.next() {
                isEnded = chunk.kind == .end
                try record(chunk, bytes)
            }
            if !isEnded { frames = frames.dropLast() }
        }
        frames = Array(frames.prefix { !$0.chunks.isEmpty })
    }

    private init(_ header: tintype_png_header) {
        canvasSize = PixelSize(width: Int(header.width), height: Int(header.height))
        playCount = Int(header.play_count)
        hasAlpha = header.has_alpha
        declaredFrameCount = Int(header.frame_count)
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        var chunks = PNGChunks(bytes)
        while true {
            let chunk = try chunks.next()
            if chunk.kind == .end { return }
            try record(chunk, bytes)
        }
    }

    private mutating func record(_ chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        switch chunk.kind {
        case .header, .palette, .transparency: recordPreamble(chunk)
        case .imageData: recordDefaultImage(chunk)
        case .frameControl where frames.count < declaredFrameCount: try recordFrameControl(chunk, bytes)
        // The acTL chunk counts too few frames. The others are ignored, as Pillow does.
        case .frameControl: hasUncountedFrames = true
        case .frameData where !frames.isEmpty && !hasUncountedFrames: try recordFrameData(chunk, bytes)
        default: break
        }
    }

    /// Records the first chunk of each kind, unless it is longer than any valid one: the preamble is copied for each
    /// frame.
    private mutating func recordPreamble(_ chunk: PNGChunk) {
        let isRepeated = preamble.contains { $0.kind == chunk.kind }
        guard !isRepeated, chunk.data.count <= Self.longestPreambleChunk else { return }
        preamble.append(chunk)
    }

    /// The bytes of a palette of 256 colours.
    private static let longestPreambleChunk = 3 * 256

    private mutating func recordDefaultImage(_ chunk: PNGChunk) {
        if declaredFrameCount == 0, frames.isEmpty {
            let canvas = PixelRect(x: 0, y: 0, size: canvasSize)
            frames.append(Frame(frame: AnimationFrame(rect: canvas, duration: 0, hasAlpha: hasAlpha)))
        }
        guard frames.count == 1 else { return }
        isDefaultImageFirst = true
        frames[0].chunks.append(chunk)
    }

    private mutating func recordFrameControl(
        _ chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer
    ) throws(TintypeError) {
        guard chunk.data.count == 26 else { throw TintypeError(.corrupt, "a frame control chunk is damaged") }
        try chunk.check(in: bytes)
        try checkSequenceNumber(at: chunk.data.lowerBound, bytes)
        frames.append(Frame(frame: try frame(at: chunk.data.lowerBound, bytes)))
    }

    private mutating func recordFrameData(
        _ chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer
    ) throws(TintypeError) {
        guard chunk.data.count >= 4, !(isDefaultImageFirst && frames.count == 1) else {
            throw TintypeError(.corrupt, "frame data appear before their control chunk")
        }
        try checkSequenceNumber(at: chunk.data.lowerBound, bytes)
        frames[frames.count - 1].chunks.append(chunk)
    }

    /// Checks that the sequence number is the expected one, and counts it.
    private mutating func checkSequenceNumber(
        at offset: Int, _ bytes: UnsafeRawBufferPointer
    ) throws(TintypeError) {
        guard bytes.bigEndian32(at: offset) == nextSequenceNumber else {
            throw TintypeError(.corrupt, "frame chunks are out of order")
        }
        nextSequenceNumber += 1
    }

    /// Reads the body of a frame control chunk (fcTL).
    private func frame(at offset: Int, _ bytes: UnsafeRawBufferPointer) throws(TintypeError) -> AnimationFrame {
        func number(_ field: Int) -> Int { Int(bytes.bigEndian32(at: offset + field)) }
        let rect = PixelRect(
            x: number(12), y: number(16), size: PixelSize(width: number(4), height: number(8)))
        let (numerator, denominator) = (bytes.bigEndian16(at: offset + 20), bytes.bigEndian16(at: offset + 22))
        guard rect.size.isPositive, rect.x + rect.size.width <= canvasSize.width,
            rect.y + rect.size.height <= canvasSize.height, bytes[offset + 24] <= 2, bytes[offset + 25] <= 1
        else { throw TintypeError(.corrupt, "a frame control chunk is damaged") }
        return AnimationFrame(
            rect: rect, duration: Double(numerator) / Double(denominator == 0 ? 100 : denominator),
            blend: bytes[offset + 25] == 0 ? .source : .over, disposal: disposal(bytes[offset + 24]),
            hasAlpha: hasAlpha)
    }

    /// Returns the disposal of a stored value. Disposing the first frame to the previous canvas means clearing it.
    private func disposal(_ stored: UInt8) -> AnimationFrame.Disposal {
        switch stored {
        case 0: .keep
        case 2 where !frames.isEmpty: .previous
        default: .background
        }
    }
}
