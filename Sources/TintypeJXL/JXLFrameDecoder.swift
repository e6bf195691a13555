import CLibJXL
import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an animated JPEG XL. In order, each is decoded once.
///
/// `@unchecked Sendable` because libjxl's decoder, its only state, is used by one thread at a time: that is the promise of
/// ``FrameDecoder``.
final class JXLFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let bytes: LastingBytes
    private var pixels: JXLPixels

    convenience init(_ data: Data, _ limits: DecodeLimits) throws(TintypeError) {
        let header = try data.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: true, limits)
        }
        guard let header else { throw .truncatedJXL }
        try self.init(data, header, limits)
    }

    /// - Parameter header: of the bytes, which hold the frames that it tells of.
    init(_ data: Data, _ header: JXLHeader, _ limits: DecodeLimits) throws(TintypeError) {
        bytes = LastingBytes(data)
        let info = header.info
        try limits.check(info, byteCount: data.count)
        (canvasSize, loopCount) = (info.storedSize, info.loopCount)
        frames = (info.durations.isEmpty ? [0] : info.durations).map { duration in
            AnimationFrame(
                rect: PixelRect(x: 0, y: 0, size: info.storedSize), duration: duration, blend: .source,
                hasAlpha: info.hasAlpha)
        }
        try limits.check(frames, canvas: canvasSize)
        // What is kept of the range is kept of still pictures alone.
        pixels = try JXLPixels(bytes.bytes, header, DecodeContext(limits: limits))
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        let whole = DecodeTarget(whole: canvasSize, size: canvasSize)
        return try pixels.frame(index, whole, isCancelled: isCancelled).pixels
    }
}

/// Decodes frames of one JPEG XL, each as it is shown: libjxl blends what a file stores in layers.
struct JXLPixels: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    private let header: JXLHeader
    private let context: DecodeContext
    private var reader: JXLReader
    /// How colours become sRGB, once the file has said it.
    private var colors: JXLColors?
    /// The frame that comes next.
    private var place = 0

    /// - Parameter bytes: of a whole file; must outlive this.
    init(_ bytes: UnsafeRawBufferPointer, _ header: JXLHeader, _ context: DecodeContext) throws(TintypeError) {
        self.bytes = bytes
        self.header = header
        self.context = context
        reader = try Self.reader(bytes)
    }

    private static func reader(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) -> JXLReader {
        try JXLReader(bytes, isComplete: true, events: JXL_DEC_COLOR_ENCODING, JXL_DEC_FULL_IMAGE)
    }

    /// A part of a frame at a size, before it is turned upright.
    ///
    /// - Parameter index: an earlier frame than the last one makes it begin anew.
    mutating func frame(
        _ index: Int, _ target: DecodeTarget, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> WideImage {
        if index < place {
            reader = try Self.reader(bytes)
            (place, colors) = (0, nil)
        }
        reader.skip(index - place)
        let colors = try beginFrame(isCancelled)
        var room = try colors.room(header)
        try fill(&room, isWide: colors.isWide, isCancelled)
        place = index + 1
        var asked = context
        asked.isCancelled = isCancelled
        return try colors.picture(room, header, target, asked)
    }

    /// Goes on to where libjxl asks for room.
    private mutating func beginFrame(_ isCancelled: () -> Bool) throws(TintypeError) -> JXLColors {
        while true {
            switch try reader.next(isCancelled: isCancelled) {
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
            try reader.setTarget(rows, isWide: isWide)
            guard try reader.next(isCancelled: isCancelled) == JXL_DEC_FULL_IMAGE else { throw .damagedJXL }
        }
    }
}
