import CLibJXL
import TintypeCore

/// The frames that a JPEG XL stores, read without decoding pixels.
///
/// libjxl blends a frame that is shown for no time into the next one, and keeps up to four frames for later ones. Neither
/// the header of the image nor the events of libjxl tell of all of them.
struct JXLLayers {
    /// The number of pixels of the canvas, or of the largest frame if that is larger.
    private(set) var largestArea: Int
    /// Whether other parts of the image follow the first one, or may follow it.
    private(set) var hasSeveralFrames = false
    /// Whether libjxl may keep a frame for later ones.
    private(set) var hasReferences = false
    /// The memory in bytes for the splines of one frame, and for the patches of all: libjxl keeps parts of them.
    var featureBytes: Double { splineBytes + patchBytes }
    private var (splineBytes, patchBytes) = (0.0, 0.0)
    /// Whether a frame that is shown has ``JXLPatches/isSlow`` patches. Each preview draws them all again.
    private(set) var hasSlowPatches = false
    /// Whether the bytes end in the section of a frame that contains patches.
    private(set) var endsBeforePatches = false

    /// The memory for each pixel: 16 points and 4 segments of splines. docs/decoder-memory.md has the measurements.
    private static let splineBytesPerPixel = 600.0

    /// Reads the headers of all frames in a file or in its first bytes. Damage ends the list.
    ///
    /// - Parameter context: Its limits are checked. If it is cancelled, reading ends after a frame.
    /// - Returns: `nil` if the bytes end, or are damaged, before the header of the first frame that is shown.
    /// - Throws: ``TintypeError/Code/limitExceeded`` if a frame, or all together, have too many pixels, if there
    ///   are too many frames, or if the header of one cannot be read; ``TintypeError/Code/outOfMemory``; ``TintypeError/cancelled``.
    init?(_ bytes: UnsafeRawBufferPointer, _ header: JXLHeader, _ context: DecodeContext) throws(TintypeError) {
        let limits = context.limits
        let canvas = header.info.size.area
        largestArea = canvas
        guard let headerEnd = try Self.headerEnd(bytes, header) else { return nil }
        var walk = JXLFrameWalk(JXLCodestream(bytes, headerEnd: headerEnd), of: header)
        var (count, left, isShown) = (0, limits.animatedPixels, false)
        while let frame = try walk.next() {
            try context.checkCancelled()
            count += 1
            try Self.check(frame.size, limits)
            largestArea = max(largestArea, frame.size.area)
            let patches = frame.hasPatches ? try walk.patches(isCancelled: context.isCancelled) : nil
            endsBeforePatches = endsBeforePatches || frame.hasPatches && patches == nil
            patchBytes += patches?.memory ?? 0
            hasSlowPatches = hasSlowPatches || frame.isShown && patches?.isSlow == true
            if frame.hasSplines { splineBytes = max(splineBytes, Self.splineBytesPerPixel * Double(frame.size.area)) }
            isShown = isShown || frame.isShown
            hasSeveralFrames = hasSeveralFrames || frame.isShown && !frame.isLast
            if count > 1 || !frame.isLast { try Self.check(count, max(canvas, frame.size.area), &left, limits) }
        }
        guard isShown else { return nil }
        hasReferences = hasSeveralFrames || count > 1
    }

    /// Returns the offset of the first frame; `nil` if the bytes end, or are damaged, before it.
    static func headerEnd(_ bytes: UnsafeRawBufferPointer, _ header: JXLHeader) throws(TintypeError) -> Int? {
        // A preview is a frame before all others. No encoder writes previews.
        guard !header.hasPreview else {
            throw .exceeded(.library, "the JPEG XL contains a preview frame, which Tintype does not support")
        }
        // All input at once, so that libjxl copies none of it, and its position in the file is exact.
        var reader = try JXLReader(
            bytes, isComplete: false, inputStep: max(bytes.count, 1), events: JXL_DEC_COLOR_ENCODING)
        do throws(TintypeError) {
            return try reader.nextEvent() == JXL_DEC_COLOR_ENCODING ? reader.position() : nil
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }

    private static func check(_ size: PixelSize, _ limits: DecodeLimits) throws(TintypeError) {
        // libjxl takes 128 bytes or more for each row, however short it is.
        guard max(size.width, size.height) <= limits.side else {
            throw .exceeded(
                .side, "a frame of the JPEG XL has \(size) pixels; the limit per side is \(limits.side)")
        }
        guard size.area <= limits.pixels else {
            throw .exceeded(
                .pixels, "a frame of the JPEG XL has \(size.area) pixels (\(size)); the limit is \(limits.pixels)")
        }
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
