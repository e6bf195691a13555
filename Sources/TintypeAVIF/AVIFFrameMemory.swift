import CLibAVIF
import Foundation
import TintypeCore

/// The format of the frames that an AV1 decoder keeps.
struct AV1FrameFormat: Equatable {
    /// Bits of a sample.
    var depth: Int
    /// The number of samples in all planes for two pixels, which is a whole number.
    var samplesOfTwoPixels: Int
    /// The number of pixels of a frame.
    var pixels: Int

    /// The number of frames that exist at once in a sequence: eight that later ones may refer to (AV1 specification,
    /// 7.20), the one that is being decoded, and the one that libavif holds.
    static let keptFrames = 10

    /// The bytes of a number of frames.
    func bytes(frames: Int) -> Double {
        Double(frames) * Double(samplesOfTwoPixels * (depth > 8 ? 2 : 1)) / 2 * Double(pixels)
    }

    /// Returns the largest of both in each respect.
    func union(_ other: AV1FrameFormat) -> AV1FrameFormat {
        AV1FrameFormat(
            depth: max(depth, other.depth), samplesOfTwoPixels: max(samplesOfTwoPixels, other.samplesOfTwoPixels),
            pixels: max(pixels, other.pixels))
    }

    /// Whether frames of this format fit into the memory for frames of another one.
    func fits(_ other: AV1FrameFormat) -> Bool { union(other) == other }
}

/// The formats of the frames that the decoders of a sequence keep: one of colours, and one of alpha.
struct AVIFKeptFrames {
    let colors: AV1FrameFormat
    /// `nil` for an opaque sequence.
    let alpha: AV1FrameFormat?

    /// The bytes of all of them.
    var bytes: Double {
        let count = AV1FrameFormat.keptFrames
        return colors.bytes(frames: count) + (alpha?.bytes(frames: count) ?? 0)
    }

    /// Returns whether memory was charged for frames like one that was decoded.
    ///
    /// - Parameters:
    ///   - frame: The format of its colours. libavif accepts only alpha of the same size and depth.
    ///   - hasAlpha: Whether alpha was decoded.
    func allow(_ frame: AV1FrameFormat, hasAlpha: Bool) -> Bool {
        guard frame.fits(colors) else { return false }
        guard hasAlpha else { return true }
        return alpha.map { frame.pixels <= $0.pixels && frame.depth <= $0.depth } ?? false
    }
}

extension AVIFReader {
    /// The format of the colours as the header states it or, after a frame was decoded, as that frame is coded. The
    /// number of pixels is the largest one that libavif accepts.
    var frameFormat: AV1FrameFormat {
        let image = decoder.pointee.image?.pointee
        let samples =
            switch image?.yuvFormat {
            case AVIF_PIXEL_FORMAT_YUV400: 2
            case AVIF_PIXEL_FORMAT_YUV420: 3
            case AVIF_PIXEL_FORMAT_YUV422: 4
            default: 6
            }
        return AV1FrameFormat(depth: Int(image?.depth ?? 8), samplesOfTwoPixels: samples, pixels: codedPixels)
    }

    /// Whether the frame that was decoded has alpha.
    var hasAlphaPlane: Bool { decoder.pointee.image?.pointee.alphaPlane != nil }

    /// Returns the frames that the decoders of a sequence keep. Each format is the largest of the samples that are in the
    /// file.
    func keptFrames() throws(TintypeError) -> AVIFKeptFrames {
        AVIFKeptFrames(
            colors: try largestFormat(isAuxiliary: false),
            alpha: hasAlpha ? try largestFormat(isAuxiliary: true) : nil)
    }

    /// The maximum number of frames in a sample, of which one is shown. Encoders hide up to five. libavif decodes all of
    /// them in one call.
    private static var maxSampleFrames: Int { 16 }

    private func largestFormat(isAuxiliary: Bool) throws(TintypeError) -> AV1FrameFormat {
        var units = AV1Units()
        for track in tracks.all where track.isAuxiliary == isAuxiliary {
            for sample in try track.samples(bytes, atMost: frameCount) {
                let before = units.frameCount
                try units.read(UnsafeRawBufferPointer(rebasing: bytes[sample]))
                guard units.frameCount - before <= Self.maxSampleFrames else { throw .suspectStructure }
            }
        }
        // Alpha has one channel; what else it has is in its samples.
        var declared = frameFormat
        if isAuxiliary { declared.samplesOfTwoPixels = 2 }
        var format = units.format?.union(declared) ?? frameFormat
        // libavif refuses larger frames.
        format.pixels = declared.pixels
        return format
    }
}

// MARK: - Still images

extension AVIFReader {
    /// Layered images have at most four frames (AV1 Image File Format, 2.3.2).
    private static var maxStillFrames: Int { 4 }
    /// The bytes for each pixel that every still image is charged: planes of up to 16 bits without subsampling, with
    /// alpha.
    static var stillBytesPerPixel: Int { 8 }

    /// Returns the bytes of the frames that are decoded to show one image, beyond those that every image is charged.
    ///
    /// All images of the file count, because each tile of a grid and each alpha has a decoder of its own. So does the
    /// first sample of each track.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` if an image has more frames than layers are allowed, and for invalid
    ///   boxes.
    func excessStillBytes() throws(TintypeError) -> Double {
        let file = ISOFile(bytes: bytes)
        // The images of a hostile file overlap, so all of them together may be joined of as many bytes as the file has.
        var (units, bytesOfFrames, bytesLeft) = (AV1Units(), 0.0, bytes.count)
        for item in try codedItems(file) {
            units = try read(item.extents, units.cleared, &bytesLeft)
            guard units.frameCount <= Self.maxStillFrames else { throw .suspectStructure }
            bytesOfFrames += keptBytes(units)
        }
        for track in tracks.all {
            units = try read(track.samples(bytes, atMost: 1), units.cleared, &bytesLeft)
            bytesOfFrames += keptBytes(units)
        }
        return max(0, bytesOfFrames - Double(Self.stillBytesPerPixel) * Double(codedArea))
    }

    private func codedItems(_ file: ISOFile) throws(TintypeError) -> [ISOItems.Item] {
        var items: [ISOItems.Item] = []
        for meta in file.intactBoxes(in: 0..<bytes.count) where meta.kind == "meta" {
            guard try file.box("iloc", in: meta.fullBody) != nil, try file.box("iinf", in: meta.fullBody) != nil else {
                continue
            }
            items += try ISOItems(file, meta.fullBody).all.filter { $0.kind == "av01" }
        }
        return items
    }

    /// Reads the units of an image whose bytes are the joined extents.
    ///
    /// - Parameter bytesLeft: Bytes that may still be joined.
    private func read(
        _ extents: [Range<Int>], _ before: AV1Units, _ bytesLeft: inout Int
    ) throws(TintypeError) -> AV1Units {
        var units = before
        guard extents.count > 1 else {
            for extent in extents { try units.read(UnsafeRawBufferPointer(rebasing: bytes[extent])) }
            return units
        }
        var joined = Data()
        for extent in extents {
            bytesLeft -= extent.count
            guard bytesLeft >= 0 else { throw .suspectStructure }
            joined.append(contentsOf: bytes[extent])
        }
        try joined.withTypedBytes { raw throws(TintypeError) in try units.read(raw) }
        return units
    }

    /// Returns the bytes of the frames that a decoder keeps after it has decoded some: with one more that it decodes,
    /// if it keeps any.
    private func keptBytes(_ units: AV1Units) -> Double {
        guard var format = units.format else { return 0 }
        // libavif refuses larger frames.
        format.pixels = min(format.pixels, codedPixels)
        let count = units.frameCount > 1 ? min(units.frameCount + 1, AV1FrameFormat.keptFrames) : 1
        return format.bytes(frames: count)
    }
}
