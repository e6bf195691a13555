import CLibAVIF
import TintypeCore

/// The memory of the frames of a sequence that an AV1 decoder keeps.
enum AVIFFrameMemory {
    /// The number of frames that exist at once: eight that later ones may refer to (AV1 specification, 7.20), the one that is
    /// being decoded, and the one that libavif holds.
    private static let frameCount = 10

    /// Returns the bytes of all frames for each pixel. A second decoder keeps as many frames of alpha. libavif does not report
    /// their format, so they count as if they had the format of the colours.
    ///
    /// - Parameters:
    ///   - depth: Bits of a sample.
    ///   - samples: The number of samples in all planes for two pixels, which is a whole number.
    static func bytesPerPixel(depth: Int, samplesOfTwoPixels samples: Int, hasAlpha: Bool) -> Int {
        frameCount * samples * (depth > 8 ? 2 : 1) * (hasAlpha ? 2 : 1) / 2
    }
}

extension AVIFReader {
    /// The bytes that the decoders keep for each pixel of a sequence: as the header states or, after a frame was decoded, as
    /// that frame is coded.
    var sequenceBytesPerPixel: Int {
        guard let image = decoder.pointee.image?.pointee else { return 0 }
        let samples =
            switch image.yuvFormat {
            case AVIF_PIXEL_FORMAT_YUV400: 2
            case AVIF_PIXEL_FORMAT_YUV420: 3
            case AVIF_PIXEL_FORMAT_YUV422: 4
            default: 6
            }
        return AVIFFrameMemory.bytesPerPixel(
            depth: Int(image.depth), samplesOfTwoPixels: samples, hasAlpha: hasAlpha)
    }
}
