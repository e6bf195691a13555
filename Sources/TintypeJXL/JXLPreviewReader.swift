import CLibJXL
import Foundation
import TintypeColor
import TintypeCore

/// libjxl decoding the first frame of one picture as far as its bytes have come: all of it at an eighth of its size, then
/// square by square.
///
/// `@unchecked Sendable` because the decoder and its target, which belong to one thread at a time, are reached only through
/// the lock of the ``IncrementalImage`` that owns this, or by the one call that made it.
final class JXLPreviewReader: PreviewReader, @unchecked Sendable {
    private let header: JXLHeader
    private let target: DecodeTarget
    private let context: DecodeContext
    private var reader: JXLReader
    private var colors: JXLColors?
    /// What libjxl writes to, once it has asked for it; freed with this, when nothing more is asked of libjxl.
    private var rows: UnsafeMutableRawBufferPointer?
    /// Bytes that libjxl wants to see again.
    private var unread = Data()
    private var plan = JXLFlushPlan()
    /// Whether there is something of every part.
    private var isCoarse = false
    private var isWhole = false
    /// Whether libjxl has been left in the middle of bytes that are gone: nothing more is asked of it.
    private var isBroken = false
    /// What was seen last, as a hash.
    private var lastLook: Int?

    /// - Parameter header: of the bytes that are to be appended, within the limits.
    init(_ header: JXLHeader, _ context: DecodeContext) throws(TintypeError) {
        (self.header, self.context) = (header, context)
        target = try DecodeTarget(header.info, context.options)
        reader = try JXLReader(
            UnsafeRawBufferPointer(start: nil, count: 0), isComplete: false, events: JXL_DEC_COLOR_ENCODING,
            JXL_DEC_FRAME, JXL_DEC_FRAME_PROGRESSION, JXL_DEC_FULL_IMAGE)
    }

    deinit {
        free(rows?.baseAddress)
    }

    // MARK: Bytes

    /// Decodes the next bytes; returns whether it is worth looking at what there is now.
    func append(_ bytes: Data) throws(TintypeError) -> Bool {
        guard !isBroken else { throw .damagedJXL }
        guard !isWhole else { return false }
        let all = unread + bytes
        var isNewStage = false
        isBroken = true
        try all.withTypedBytes { raw throws(TintypeError) in
            reader.goOn(with: raw)
            while !isWhole, let event = try reader.next(isCancelled: context.isCancelled) {
                if try take(event) { isNewStage = true }
            }
        }
        isBroken = false
        unread = isWhole ? Data() : Data(all.suffix(reader.unread))
        return plan.shouldFlush(adding: bytes.count, isNewStage: isNewStage)
    }

    private func take(_ event: JxlDecoderStatus) throws(TintypeError) -> Bool {
        switch event {
        case JXL_DEC_COLOR_ENCODING: colors = try JXLColors(reader, header, context)
        case JXL_DEC_FRAME: break
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER: try makeRoom()
        case JXL_DEC_FRAME_PROGRESSION:
            isCoarse = true
            return true
        case JXL_DEC_FULL_IMAGE:
            isWhole = true
            return true
        default: throw .damagedJXL
        }
        return false
    }

    private func makeRoom() throws(TintypeError) {
        guard rows == nil, let colors else { throw .damagedJXL }
        let count = tiles(colors).bytesPerRow * header.info.storedSize.height
        guard let room = calloc(count, 1) else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a JPEG XL decoder")
        }
        let rows = UnsafeMutableRawBufferPointer(start: room, count: count)
        self.rows = rows
        try reader.setTarget(rows, isWide: colors.isWide)
    }

    private func tiles(_ colors: JXLColors) -> JXLMissingTiles {
        let size = header.info.storedSize
        let bytesPerPixel = colors.isWide ? HighRangePixels.bytesPerPixel : PixelBuffer.bytesPerPixel
        return JXLMissingTiles(
            size: size, bytesPerRow: (size.width * bytesPerPixel + 63) / 64 * 64, bytesPerPixel: bytesPerPixel)
    }

    // MARK: Pictures

    /// What has come, after all bytes that were appended; `nil` while that is nothing, or nothing more than the last time.
    func preview() throws(TintypeError) -> Image? {
        guard let rows, let colors, !isBroken, isWhole || reader.flush(), isNew(rows) else { return nil }
        var room = try colors.room(header)
        let isSeen = room.withRows { copy in
            copy.copyMemory(from: UnsafeRawBufferPointer(rows))
            return isWhole || isCoarse || tiles(colors).clear(copy)
        }
        guard isSeen else { return nil }
        let picture = try colors.picture(room, header, target, context).oriented(header.info.orientation)
        return Image(
            pixels: picture.pixels, info: header.info, scale: context.options.scale ?? 1,
            highRange: picture.highRange)
    }

    private func isNew(_ rows: UnsafeMutableRawBufferPointer) -> Bool {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(rows))
        let look = hasher.finalize()
        defer { lastLook = look }
        return look != lastLook
    }
}

/// When libjxl is asked for what it has of a picture: that costs a pass over all of it.
struct JXLFlushPlan {
    private var received = 0
    private var flushedAt = 0

    /// Takes how many more bytes have come.
    ///
    /// - Parameter isNewStage: whether libjxl itself says that there is more to see.
    /// - Returns: whether to ask now: then, and whenever there is a quarter more than the last time.
    mutating func shouldFlush(adding count: Int, isNewStage: Bool) -> Bool {
        received += count
        guard isNewStage || received - flushedAt > flushedAt / 4 else { return false }
        flushedAt = received
        return true
    }
}

/// Finds what is not there of a picture without an eighth of its size, such as a lossless one: libjxl tells no one, and
/// writes such squares black.
struct JXLMissingTiles {
    /// Of a picture as libjxl writes it.
    let size: PixelSize
    let bytesPerRow: Int
    /// Of four channels, the last one alpha.
    let bytesPerPixel: Int

    /// Groups have this many pixels on a side, or a multiple of it (ISO/IEC 18181-1, F.2).
    private static let side = 128

    /// Makes every square that is wholly black transparent.
    ///
    /// - Returns: whether anything else is left.
    func clear(_ rows: UnsafeMutableRawBufferPointer) -> Bool {
        var hasMore = false
        for top in stride(from: 0, to: size.height, by: Self.side) {
            for left in stride(from: 0, to: size.width, by: Self.side) {
                let tile = PixelRect(
                    x: left, y: top,
                    size: PixelSize(
                        width: min(Self.side, size.width - left), height: min(Self.side, size.height - top)))
                if isBlack(tile, rows) { clear(tile, rows) } else { hasMore = true }
            }
        }
        return hasMore
    }

    private func isBlack(_ tile: PixelRect, _ rows: UnsafeMutableRawBufferPointer) -> Bool {
        (tile.y..<tile.y + tile.size.height).allSatisfy { y in
            (tile.x..<tile.x + tile.size.width).allSatisfy { x in
                let place = y * bytesPerRow + x * bytesPerPixel
                guard bytesPerPixel == 8 else {
                    return rows.loadUnaligned(fromByteOffset: place, as: UInt32.self).littleEndian << 8 == 0
                }
                return rows.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian << 16 == 0
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
