import CLibAVIF
public import Foundation
public import TintypeCore

/// Encodes AVIF with libavif, in one thread. Of quality 1 every pixel is kept.
public struct AVIFEncoder: ImageEncoder {
    /// From 0, the slowest, to 10.
    public var speed: Int

    public init(speed: Int = 6) {
        self.speed = min(max(speed, 0), 10)
    }

    public var formats: Set<ImageFormat> { [.avif] }

    /// From this quality on colour keeps its full resolution.
    private static let fullChromaQuality = 0.9
    /// The coarsest of AV1's quantizers as libavif has them.
    private static let coarsest = 63.0

    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        // NaN compares as false and becomes the lowest.
        let quality = options.quality > 0 ? min(options.quality, 1) : 0
        guard let encoder = avifEncoderCreate() else { throw Self.failure(AVIF_RESULT_OUT_OF_MEMORY) }
        defer { avifEncoderDestroy(encoder) }
        let quantizer = Int32(((1 - quality) * Self.coarsest).rounded())
        encoder.pointee.maxThreads = 1
        encoder.pointee.speed = Int32(speed)
        (encoder.pointee.minQuantizer, encoder.pointee.maxQuantizer) = (quantizer, quantizer)
        (encoder.pointee.minQuantizerAlpha, encoder.pointee.maxQuantizerAlpha) = (quantizer, quantizer)
        let isOpaque = pixels.isOpaque
        let image = try Self.image(isOpaque ? pixels : try pixels.unpremultiplied(), quality, isOpaque: isOpaque)
        defer { avifImageDestroy(image) }
        var output = avifRWData()
        defer { avifRWDataFree(&output) }
        let result = avifEncoderWrite(encoder, image, &output)
        guard result == AVIF_RESULT_OK, let bytes = output.data else { throw Self.failure(result) }
        return Data(bytes: bytes, count: output.size)
    }

    /// The planes of straight pixels.
    private static func image(
        _ pixels: PixelBuffer, _ quality: Double, isOpaque: Bool
    ) throws(TintypeError) -> UnsafeMutablePointer<avifImage> {
        let format = quality >= fullChromaQuality ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420
        guard let image = avifImageCreate(UInt32(pixels.size.width), UInt32(pixels.size.height), 8, format) else {
            throw failure(AVIF_RESULT_OUT_OF_MEMORY)
        }
        image.pointee.colorPrimaries = avifColorPrimaries(AVIF_COLOR_PRIMARIES_BT709)
        image.pointee.transferCharacteristics = avifTransferCharacteristics(AVIF_TRANSFER_CHARACTERISTICS_SRGB)
        // Other matrices round.
        let matrix = quality == 1 ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601
        image.pointee.matrixCoefficients = avifMatrixCoefficients(matrix)
        image.pointee.yuvRange = AVIF_RANGE_FULL
        let result = pixels.withUnsafeBytes { bytes in
            var rgb = avifRGBImage()
            avifRGBImageSetDefaults(&rgb, image)
            rgb.format = AVIF_RGB_FORMAT_RGBA
            rgb.ignoreAlpha = isOpaque ? 1 : 0
            // libavif's pixels are not constant, though it only reads these.
            rgb.pixels = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            rgb.rowBytes = UInt32(pixels.bytesPerRow)
            return avifImageRGBToYUV(image, &rgb)
        }
        guard result == AVIF_RESULT_OK else {
            avifImageDestroy(image)
            throw failure(result)
        }
        return image
    }

    private static func failure(_ result: avifResult) -> TintypeError {
        let code: TintypeError.Code = result == AVIF_RESULT_OUT_OF_MEMORY ? .outOfMemory : .encodeFailed
        let reason = String(cString: avifResultToString(result))
        return TintypeError(code, stage: .encode, "no AVIF could be made: \(reason)")
    }
}
