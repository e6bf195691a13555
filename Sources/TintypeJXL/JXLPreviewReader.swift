import CLibJXL
import Foundation
import TintypeColor
import TintypeCore

/// Decodes a still image as far as its bytes have arrived: first all of it at an eighth of its size, then group by
/// group.
///
/// `@unchecked Sendable` because the decoder and its output buffer, which belong to one thread at a time, are reached
/// only under the lock of the ``IncrementalImage`` that owns this reader, or by the one call that created it.
final class JXLPreviewReader: PreviewReader, @unchecked Sendable {
    private let header: JXLHeader
    private let target: DecodeTarget
    private let context: DecodeContext
    private var reader: JXLReader
    private var colors: JXLColors?
    /// The output buffer of libjxl, allocated when libjxl needs it and freed in `deinit`, after the last use of libjxl.
    private var output: UnsafeMutableRawBufferPointer?
    /// Bytes that libjxl has not consumed and needs again in front of the next ones.
    private var unread = Data()
    private var flushPlan = JXLFlushPlan()
    /// Whether every part of the image has at least coarse pixels.
    private var isCoarse = false
    private var isComplete = false
    /// Whether libjxl has stopped with an error and refers to bytes that are gone. It must not be used again.
    private var hasFailed = false
    /// The hash of the output at the last preview.
    private var lastOutputHash: Int?

    /// Creates a reader at the start of a file.
    ///
    /// - Parameter header: The header of the bytes that will be appended, already checked against the limits.
    /// - Throws: `TintypeError.Code.outOfMemory`; any error of the decode options.
    init(_ header: JXLHeader, _ context: DecodeContext) throws(TintypeError) {
        (self.header, self.context) = (header, context)
        target = try DecodeTarget(header.info, options: context.options)
        reader = try JXLReader(
            UnsafeRawBufferPointer(start: nil, count: 0), isComplete: false, inputStep: JXLReader.pixelStep,
            events: JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME, JXL_DEC_FRAME_PROGRESSION, JXL_DEC_FULL_IMAGE)
    }

    deinit {
        free(output?.baseAddress)
    }

    // MARK: Input

    /// Decodes the next bytes; returns whether a preview is worth its cost now.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, and again for every later call;
    ///   `TintypeError.Code.limitExceeded`; `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    func append(_ bytes: Data) throws(TintypeError) -> Bool {
        guard !hasFailed else { throw .damagedJXL }
        guard !isComplete else { return false }
        let all = unread + bytes
        var isNewStage = false
        hasFailed = true
        try all.withTypedBytes { raw throws(TintypeError) in
            reader.resume(with: raw)
            while !isComplete, let event = try reader.nextEvent(isCancelled: context.isCancelled) {
                if try handle(event) { isNewStage = true }
            }
        }
        hasFailed = false
        unread = isComplete ? Data() : Data(all.suffix(reader.unreadCount))
        return flushPlan.shouldFlush(adding: bytes.count, isNewStage: isNewStage)
    }

    /// Handles an event; returns whether more of the image can be seen after it.
    private func handle(_ event: JxlDecoderStatus) throws(TintypeError) -> Bool {
        switch event {
        case JXL_DEC_COLOR_ENCODING: colors = try JXLColors(reader, header, context)
        case JXL_DEC_FRAME: break
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER: try allocateOutput()
        case JXL_DEC_FRAME_PROGRESSION:
            isCoarse = true
            return true
        case JXL_DEC_FULL_IMAGE:
            isComplete = true
            return true
        default: throw .damagedJXL
        }
        return false
    }

    private func allocateOutput() throws(TintypeError) {
        guard output == nil, let colors else { throw .damagedJXL }
        let count = missingTiles(colors).bytesPerRow * header.info.storedSize.height
        guard let memory = calloc(count, 1) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for a JPEG XL decoder")
        }
        let output = UnsafeMutableRawBufferPointer(start: memory, count: count)
        self.output = output
        try reader.setOutput(output, isWide: colors.isWide)
    }

    private func missingTiles(_ colors: JXLColors) -> JXLMissingTiles {
        let size = header.info.storedSize
        let bytesPerPixel = colors.isWide ? HighRangePixels.bytesPerPixel : PixelBuffer.bytesPerPixel
        return JXLMissingTiles(
            size: size, bytesPerRow: (size.width * bytesPerPixel + 63) / 64 * 64, bytesPerPixel: bytesPerPixel)
    }

    // MARK: Output

    /// Returns the image as far as it has arrived; `nil` if nothing has, or nothing since the last preview.
    func preview() throws(TintypeError) -> Image? {
        guard let output, let colors, !hasFailed, isComplete || reader.flush(), isNew(output) else { return nil }
        var writer = try colors.makeWriter(header)
        let isVisible = writer.withRows { copy in
            copy.copyMemory(from: UnsafeRawBufferPointer(output))
            return isComplete || isCoarse || missingTiles(colors).clear(in: copy)
        }
        guard isVisible else { return nil }
        let image = try colors.makeImage(writer, header, target, context).oriented(header.info.orientation)
        return Image(
            pixels: image.pixels, info: header.info, scale: context.options.scale ?? 1, highRange: image.highRange)
    }

    private func isNew(_ output: UnsafeMutableRawBufferPointer) -> Bool {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(output))
        let hash = hasher.finalize()
        defer { lastOutputHash = hash }
        return hash != lastOutputHash
    }
}

/// Decides when libjxl renders what it has of an image. Each flush costs a pass over the whole image.
struct JXLFlushPlan {
    private var received = 0
    private var receivedAtLastFlush = 0

    /// Counts the bytes that have arrived.
    ///
    /// - Parameter isNewStage: Whether libjxl reports that more can be seen.
    /// - Returns: Whether to flush now: at a new stage, and whenever a quarter more bytes have arrived.
    mutating func shouldFlush(adding count: Int, isNewStage: Bool) -> Bool {
        received += count
        guard isNewStage || received - receivedAtLastFlush > receivedAtLastFlush / 4 else { return false }
        receivedAtLastFlush = received
        return true
    }
}

/// Finds the parts that have not arrived of an image without a coarse stage, such as a lossless one: libjxl leaves them
/// black and does not report them.
struct JXLMissingTiles {
    /// The size of the image in pixels.
    let size: PixelSize
    let bytesPerRow: Int
    /// The size of four channels, the last one alpha.
    let bytesPerPixel: Int

    /// The side of the smallest group in pixels; other groups are multiples of it (ISO/IEC 18181-1, F.2).
    private static let side = 128

    /// Makes every tile that is completely black transparent.
    ///
    /// - Returns: Whether any other tile exists.
    func clear(in rows: UnsafeMutableRawBufferPointer) -> Bool {
        var hasOtherTiles = false
        for top in stride(from: 0, to: size.height, by: Self.side) {
            for left in stride(from: 0, to: size.width, by: Self.side) {
                let tile = PixelRect(
                    x: left, y: top,
                    size: PixelSize(
                        width: min(Self.side, size.width - left), height: min(Self.side, size.height - top)))
                if isBlack(tile, rows) { clear(tile, rows) } else { hasOtherTiles = true }
            }
        }
        return hasOtherTiles
    }

    private func isBlack(_ tile: PixelRect, _ rows: UnsafeMutableRawBufferPointer) -> Bool {
        (tile.y..<tile.y + tile.size.height).allSatisfy { y in
            (tile.x..<tile.x + tile.size.width).allSatisfy { x in
                let offset = y * bytesPerRow + x * bytesPerPixel
                // The shift drops alpha.
                guard bytesPerPixel == 8 else {
                    return rows.loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian << 8 == 0
                }
                return rows.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian << 16 == 0
            }
        }
    }

    private func clear(_ tile: PixelRect, _ rows: UnsafeMutableRawBufferPointer) {
        for y in tile.y..<tile.y + tile.size.height {
            let start = y * bytesPerRow + tile.x * bytesPerPixel
            let row = rows[start..<start + tile.size.width * bytesPerPixel]
            UnsafeMutableRawBufferPointer(rebasing: row).initializeMemory(as: UInt8.self, repeating: 0)
        }
    }
}
