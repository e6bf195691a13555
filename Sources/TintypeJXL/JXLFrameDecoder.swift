import CLibJXL
import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an animated JPEG XL. Read in order, each frame is decoded once.
///
/// `@unchecked Sendable` because libjxl's decoder, the only mutable state, is used by one thread at a time, as
/// ``FrameDecoder`` requires.
final class JXLFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let bytes: PinnedBytes
    private var reader: JXLFrameReader

    /// Creates a decoder for a whole file.
    convenience init(_ data: Data, _ context: DecodeContext) throws(TintypeError) {
        let header = try data.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: true, context.limits, isCancelled: context.isCancelled)
        }
        guard let header else { throw .truncatedJXL }
        try self.init(data, header, context)
    }

    /// Creates a decoder for a file or its first bytes.
    ///
    /// - Parameter header: The header of `data`, which lists only frames that `data` holds completely.
    /// - Throws: `TintypeError.Code.limitExceeded`, `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    init(_ data: Data, _ header: JXLHeader, _ context: DecodeContext) throws(TintypeError) {
        bytes = PinnedBytes(data)
        let limits = context.limits
        let info = header.info
        try limits.check(info, byteCount: data.count)
        (canvasSize, loopCount) = (info.storedSize, info.loopCount)
        frames = (info.durations.isEmpty ? [0] : info.durations).map { duration in
            AnimationFrame(
                rect: PixelRect(x: 0, y: 0, size: info.storedSize), duration: duration, blend: .source,
                hasAlpha: info.hasAlpha)
        }
        try limits.check(frames, canvas: canvasSize)
        // Only still images keep their high range.
        reader = try JXLFrameReader(bytes.bytes, header, DecodeContext(limits: limits))
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        let whole = DecodeTarget(whole: canvasSize, size: canvasSize)
        return try reader.decodeFrame(index, whole, isCancelled: isCancelled).pixels
    }
}

/// Decodes the frames of one JPEG XL as they are shown: libjxl blends the layers of the file.
struct JXLFrameReader: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    private let header: JXLHeader
    private let context: DecodeContext
    private var reader: JXLReader
    /// The conversion to sRGB; `nil` until libjxl has read the colour encoding.
    private var colors: JXLColors?
    /// The index of the frame that libjxl decodes next.
    private var nextIndex = 0

    /// - Parameter bytes: The file. They must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer, _ header: JXLHeader, _ context: DecodeContext) throws(TintypeError) {
        self.bytes = bytes
        self.header = header
        self.context = context
        reader = try Self.makeReader(bytes, context)
    }

    private static func makeReader(
        _ bytes: UnsafeRawBufferPointer, _ context: DecodeContext
    ) throws(TintypeError) -> JXLReader {
        // Threads are of use only for long pieces, of which libjxl decodes several groups at once.
        let isThreaded = context.threads > 1 && context.isEndedByHost
        return try JXLReader(
            bytes, isComplete: true, inputStep: isThreaded ? JXLReader.defaultStep : JXLReader.pixelStep,
            threads: isThreaded ? context.threads : 1, events: JXL_DEC_COLOR_ENCODING, JXL_DEC_FULL_IMAGE)
    }

    /// Decodes a frame, cropped and resampled to a target, in its stored orientation.
    ///
    /// - Parameter index: The frame. An index before the last one restarts at the first frame.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    mutating func decodeFrame(
        _ index: Int, _ target: DecodeTarget, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> WideImage {
        if index < nextIndex {
            reader = try Self.makeReader(bytes, context)
            (nextIndex, colors) = (0, nil)
        }
        reader.skipFrames(index - nextIndex)
        // After an error, libjxl might go on in an output buffer that is gone.
        nextIndex = .max
        let colors = try beginFrame(isCancelled)
        var writer = try colors.makeWriter(header)
        try fill(&writer, isWide: colors.isWide, isCancelled)
        nextIndex = index + 1
        var context = context
        context.isCancelled = isCancelled
        return try colors.makeImage(writer, header, target, context)
    }

    /// Reads up to the point where libjxl needs an output buffer.
    private mutating func beginFrame(_ isCancelled: () -> Bool) throws(TintypeError) -> JXLColors {
        while true {
            switch try reader.nextEvent(isCancelled: isCancelled) {
            case JXL_DEC_COLOR_ENCODING: colors = try JXLColors(reader, header, context)
            case JXL_DEC_NEED_IMAGE_OUT_BUFFER: return colors ?? .narrow(nil)
            default: throw .damagedJXL
            }
        }
    }

    private mutating func fill(
        _ writer: inout PixelWriter, isWide: Bool, _ isCancelled: () -> Bool
    ) throws(TintypeError) {
        try writer.withRows { rows throws(TintypeError) in
            try reader.setOutput(rows, isWide: isWide)
            guard try reader.nextEvent(isCancelled: isCancelled) == JXL_DEC_FULL_IMAGE else { throw .damagedJXL }
        }
    }
}
