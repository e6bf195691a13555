import CLibJXL
import TintypeCore

/// The frames that a JPEG XL stores, read without decoding pixels.
///
/// libjxl blends a frame that is shown for no time into the next one, and keeps up to four frames for later ones. Neither
/// the header of the image nor, while libjxl blends, its events tell of such frames.
struct JXLLayers {
    /// The number of pixels of the canvas, or of the largest frame if that is larger.
    private(set) var largestArea: Int
    /// Whether more frames follow the first one, or may follow it.
    private(set) var hasSeveralFrames = false
    /// Whether libjxl may keep a frame for later ones.
    private(set) var hasReferences = false

    /// Reads the headers of all frames in a file or in its first bytes. Damage ends the list.
    ///
    /// - Returns: `nil` if the bytes end before the header of the first frame.
    /// - Throws: ``TintypeError/Code/limitExceeded`` if a frame has too many pixels, or all together, or if there are too
    ///   many; ``TintypeError/Code/outOfMemory``.
    init?(_ bytes: UnsafeRawBufferPointer, _ header: JXLHeader, _ limits: DecodeLimits) throws(TintypeError) {
        let canvas = header.info.size.area
        largestArea = canvas
        // All input at once, so that libjxl copies none of it, and its position in the file is exact.
        var reader = try JXLReader(
            bytes, isComplete: false, inputStep: max(bytes.count, 1), events: JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME)
        JxlDecoderSetCoalescing(reader.decoder, 0)
        guard try reader.nextIntactEvent() == JXL_DEC_COLOR_ENCODING else { return nil }
        let headerEnd = reader.position()
        var (count, left) = (0, limits.animatedPixels)
        while try reader.nextIntactEvent() == JXL_DEC_FRAME {
            let frame = try reader.frameHeader()
            let area = try Self.area(frame, limits)
            largestArea = max(largestArea, area)
            count += 1
            if count == 1 && frame.is_last != 0 { break }
            try Self.check(count, max(canvas, area), &left, limits)
            hasSeveralFrames = true
            if frame.is_last != 0 { break }
        }
        guard count > 0 else { return nil }
        hasReferences =
            hasSeveralFrames || header.hasPreview || !Self.showsFirstFrame(bytes, headerEnd: headerEnd)
    }

    private static func area(_ frame: JxlFrameHeader, _ limits: DecodeLimits) throws(TintypeError) -> Int {
        // Each side is below 2³¹ (ISO/IEC 18181-1, F.2).
        let area = Int(frame.layer_info.xsize) * Int(frame.layer_info.ysize)
        guard area <= limits.pixels else {
            throw .exceeded(.pixels, "a frame of the JPEG XL has \(area) pixels; the limit is \(limits.pixels)")
        }
        return area
    }

    /// Checks the frames so far, of which the last takes `area` pixels from those that are `left`.
    private static func check(
        _ count: Int, _ area: Int, _ left: inout Int, _ limits: DecodeLimits
    ) throws(TintypeError) {
        guard count <= limits.frames else {
            throw .exceeded(.frames, "the JPEG XL stores more than \(limits.frames) frames")
        }
        guard area <= left else {
            throw .exceeded(
                .animatedPixels, "the frames of the JPEG XL exceed the limit of \(limits.animatedPixels) pixels")
        }
        left -= area
    }

    // MARK: The first frame

    /// Returns whether the first frame is an image of its own: `frame_type` is 0 or 3 (ISO/IEC 18181-1, F.2). libjxl does not
    /// report other frames, which later ones refer to.
    private static func showsFirstFrame(_ bytes: UnsafeRawBufferPointer, headerEnd: Int) -> Bool {
        guard let offset = try? frameOffset(bytes, headerEnd: headerEnd), offset < bytes.count else { return false }
        // The lowest bit is `all_default`, which includes the type 0.
        let isDefault = bytes[offset] & 1 == 1
        return isDefault || [0, 3].contains(bytes[offset] >> 1 & 3)
    }

    /// Returns the offset of the first frame in the file.
    ///
    /// - Parameter headerEnd: The end of the image header. The frame may begin in the box after it (ISO/IEC 18181-2, 9.9).
    /// - Returns: `nil` if it is not known, because boxes divide the image header.
    private static func frameOffset(
        _ bytes: UnsafeRawBufferPointer, headerEnd: Int
    ) throws(TintypeError) -> Int? {
        // A bare codestream begins with FF, a container with the length of its first box.
        guard bytes.first == 0 else { return headerEnd }
        let (file, all) = (ISOFile(bytes: bytes), 0..<bytes.count)
        var (place, isFirst) = (0, true)
        while place < bytes.count {
            let box = try JXLBox(file, at: place, in: all)
            if box.isCodestream {
                guard !isFirst || (box.body..<box.end).contains(headerEnd) || headerEnd == box.end else { return nil }
                if isFirst && headerEnd < box.end { return headerEnd }
                if !isFirst && box.body < box.end { return box.body }
                isFirst = false
            }
            place = box.end
        }
        return nil
    }
}

/// A box of a container, of which the end may not have arrived.
private struct JXLBox {
    /// Whether it contains a part of the codestream.
    let isCodestream: Bool
    /// The offset of its contents.
    let body: Int
    /// The offset of the next box.
    let end: Int

    init(_ file: ISOFile, at place: Int, in all: Range<Int>) throws(TintypeError) {
        let size = try file.number(at: place, in: all)
        let kind = try file.number(at: place + 4, in: all)
        let length = size == 1 ? try file.number(at: place + 9, size: 7, in: all) : size
        let isPart = kind == Self.part
        isCodestream = isPart || kind == Self.whole
        // A part begins with its index.
        body = place + (size == 1 ? 16 : 8) + (isPart ? 4 : 0)
        end = size == 0 ? .max : place + length
        guard body <= end else { throw .damagedJXL }
    }

    /// `jxlc` and `jxlp`.
    private static let (whole, part) = (0x6A78_6C63, 0x6A78_6C70)
}

extension JXLReader {
    /// Returns the next event; `nil` if the bytes end or are damaged before it.
    fileprivate mutating func nextIntactEvent() throws(TintypeError) -> JxlDecoderStatus? {
        do throws(TintypeError) {
            return try nextEvent()
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }
}
