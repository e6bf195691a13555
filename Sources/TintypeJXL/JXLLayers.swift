import CLibJXL
import TintypeCore

/// The frames that a JPEG XL stores, read without decoding pixels.
///
/// libjxl blends a frame that is shown for no time into the next one, and keeps up to four frames for later ones. Neither
/// the header of the image nor, while libjxl blends, its events tell of such frames. Its events never tell of hidden frames
/// (``JXLFrameWalk``).
struct JXLLayers {
    /// The number of pixels of the canvas, or of the largest frame if that is larger.
    private(set) var largestArea: Int
    /// Whether more shown frames follow the first one, or may follow it.
    private(set) var hasSeveralFrames = false
    /// Whether libjxl may keep a frame for later ones.
    private(set) var hasReferences = false

    /// Reads the headers of all frames in a file or in its first bytes, except hidden ones after the first frame that is
    /// shown. Damage ends the list.
    ///
    /// - Returns: `nil` if the bytes end, or are damaged, before the header of the first frame that is shown.
    /// - Throws: ``TintypeError/Code/limitExceeded`` if a frame has too many pixels, or all together, if there are too
    ///   many, or if hidden frames cannot be read; ``TintypeError/Code/outOfMemory``.
    init?(_ bytes: UnsafeRawBufferPointer, _ header: JXLHeader, _ limits: DecodeLimits) throws(TintypeError) {
        let canvas = header.info.size.area
        largestArea = canvas
        // All input at once, so that libjxl copies none of it, and its position in the file is exact.
        var reader = try JXLReader(
            bytes, isComplete: false, inputStep: max(bytes.count, 1), events: JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME)
        JxlDecoderSetCoalescing(reader.decoder, 0)
        guard try reader.nextIntactEvent() == JXL_DEC_COLOR_ENCODING else { return nil }
        // Before libjxl reads the first frame, for which it allocates memory. It would read hidden frames that the walk did
        // not reach.
        let hidden = try Self.hiddenFrames(bytes, headerEnd: reader.position(), header, limits)
        var (count, left) = (0, limits.animatedPixels)
        for area in hidden.areas {
            largestArea = max(largestArea, area)
            count += 1
            try Self.check(count, max(canvas, area), &left, limits)
        }
        guard hidden.isComplete else { return nil }
        let hiddenCount = count
        while try reader.nextIntactEvent() == JXL_DEC_FRAME {
            let frame = try reader.frameHeader()
            let area = try Self.area(frame, limits)
            largestArea = max(largestArea, area)
            count += 1
            if count == 1 && frame.is_last != 0 { break }
            try Self.check(count, max(canvas, area), &left, limits)
            hasSeveralFrames = hasSeveralFrames || frame.is_last == 0
            if frame.is_last != 0 { break }
        }
        guard count > hiddenCount else { return nil }
        hasReferences = hasSeveralFrames || hiddenCount > 0
    }

    /// Returns the hidden frames before the first one that is shown.
    private static func hiddenFrames(
        _ bytes: UnsafeRawBufferPointer, headerEnd: Int, _ header: JXLHeader, _ limits: DecodeLimits
    ) throws(TintypeError) -> JXLFrameWalk {
        // A preview is a frame before all others, so hidden frames may follow it. No encoder writes previews.
        guard !header.hasPreview else {
            throw .exceeded(.library, "the JPEG XL contains a preview frame, which Tintype does not support")
        }
        return try JXLFrameWalk(
            JXLCodestream(bytes, headerEnd: headerEnd), canvas: header.info.storedSize, isXYB: header.isXYB,
            extraChannelCount: header.extraChannelCount, limits)
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
