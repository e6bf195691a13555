import CTintypePNG
import Foundation
import TintypeCore

/// What an animated PNG says of its frames, and where their data are (PNG third edition, 11.3.6).
struct PNGAnimation {
    /// A frame and the chunks that hold its compressed rows.
    struct Frame {
        var frame: AnimationFrame
        /// The places of IDAT or fdAT chunks in the file.
        var chunks: [PNGChunk] = []
    }

    let canvasSize: PixelSize
    let playCount: Int
    private(set) var frames: [Frame] = []
    /// Whether the image that programs without animation show is the first frame.
    private(set) var isDefaultImageFirst = false
    /// The chunks before the pixels that these cannot be decoded without: header, palette, transparent colours.
    private(set) var preamble: [PNGChunk] = []
    private var nextSequenceNumber: UInt32 = 0
    private let hasAlpha: Bool
    private let promisedFrames: Int

    /// Reads the chunks of a whole file, none of them into memory. The header has been checked; the frames have not.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for a file that is damaged or ends early.
    init(_ bytes: Data, _ header: tintype_png_header) throws(TintypeError) {
        self.init(header)
        try bytes.withTypedBytes { bytes throws(TintypeError) in try read(bytes) }
        guard frames.count == max(1, promisedFrames), frames.allSatisfy({ !$0.chunks.isEmpty }) else {
            throw TintypeError(.corrupt, "frames are missing")
        }
    }

    /// Reads the chunks of the first bytes of a file: the frames that are whole in them.
    ///
    /// A frame is whole when something else has begun after it.
    init(arrived bytes: Data, _ header: tintype_png_header) throws(TintypeError) {
        self.init(header)
        try bytes.withTypedBytes { bytes throws(TintypeError) in
            var chunks = PNGChunks(bytes)
            var isEnd = false
            while !isEnd, let chunk = try? chunks.next() {
                isEnd = chunk.kind == .end
                try take(chunk, bytes)
            }
            if !isEnd { frames = frames.dropLast() }
        }
        frames = Array(frames.prefix { !$0.chunks.isEmpty })
    }

    private init(_ header: tintype_png_header) {
        canvasSize = PixelSize(width: Int(header.width), height: Int(header.height))
        playCount = Int(header.play_count)
        hasAlpha = header.has_alpha
        promisedFrames = Int(header.frame_count)
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        var chunks = PNGChunks(bytes)
        while true {
            let chunk = try chunks.next()
            if chunk.kind == .end { return }
            try take(chunk, bytes)
        }
    }

    private mutating func take(_ chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        switch chunk.kind {
        case .header, .palette, .transparency: preamble.append(chunk)
        case .imageData: takeDefaultImage(chunk)
        case .frameControl where frames.count < promisedFrames: try takeControl(chunk, bytes)
        case .frameData where !frames.isEmpty: try takeFrameData(chunk, bytes)
        default: break
        }
    }

    private mutating func takeDefaultImage(_ chunk: PNGChunk) {
        if promisedFrames == 0, frames.isEmpty {
            let whole = PixelRect(x: 0, y: 0, size: canvasSize)
            frames.append(Frame(frame: AnimationFrame(rect: whole, duration: 0, hasAlpha: hasAlpha)))
        }
        guard frames.count == 1 else { return }
        isDefaultImageFirst = true
        frames[0].chunks.append(chunk)
    }

    private mutating func takeControl(
        _ chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer
    ) throws(TintypeError) {
        guard chunk.data.count == 26 else { throw TintypeError(.corrupt, "a frame's control chunk is damaged") }
        try chunk.check(in: bytes)
        try takeSequenceNumber(at: chunk.data.lowerBound, bytes)
        frames.append(Frame(frame: try frame(at: chunk.data.lowerBound, bytes)))
    }

    private mutating func takeFrameData(
        _ chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer
    ) throws(TintypeError) {
        guard chunk.data.count >= 4, !(isDefaultImageFirst && frames.count == 1) else {
            throw TintypeError(.corrupt, "a frame's data are out of place")
        }
        try takeSequenceNumber(at: chunk.data.lowerBound, bytes)
        frames[frames.count - 1].chunks.append(chunk)
    }

    private mutating func takeSequenceNumber(
        at place: Int, _ bytes: UnsafeRawBufferPointer
    ) throws(TintypeError) {
        guard bytes.bigEndian32(at: place) == nextSequenceNumber else {
            throw TintypeError(.corrupt, "frames are out of order")
        }
        nextSequenceNumber += 1
    }

    private func frame(at place: Int, _ bytes: UnsafeRawBufferPointer) throws(TintypeError) -> AnimationFrame {
        func number(_ offset: Int) -> Int { Int(bytes.bigEndian32(at: place + offset)) }
        let rect = PixelRect(
            x: number(12), y: number(16), size: PixelSize(width: number(4), height: number(8)))
        let (numerator, denominator) = (bytes.bigEndian16(at: place + 20), bytes.bigEndian16(at: place + 22))
        guard rect.size.isPositive, rect.x + rect.size.width <= canvasSize.width,
            rect.y + rect.size.height <= canvasSize.height, bytes[place + 24] <= 2, bytes[place + 25] <= 1
        else { throw TintypeError(.corrupt, "a frame's control chunk is damaged") }
        return AnimationFrame(
            rect: rect, duration: Double(numerator) / Double(denominator == 0 ? 100 : denominator),
            blend: bytes[place + 25] == 0 ? .source : .over, disposal: disposal(bytes[place + 24]),
            hasAlpha: hasAlpha)
    }

    /// Before the first frame there was nothing but a transparent canvas, so undoing it is clearing it.
    private func disposal(_ stored: UInt8) -> AnimationFrame.Disposal {
        switch stored {
        case 0: .keep
        case 2 where !frames.isEmpty: .previous
        default: .background
        }
    }
}
