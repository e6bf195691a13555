import CLibAVIF
import Foundation
import TintypeColor
import TintypeCore

/// Writes one file with libavif.
///
/// Not thread-safe: use it from one thread at a time.
struct AVIFWriter: ~Copyable {
    private let encoder: UnsafeMutablePointer<avifEncoder>
    private let quality: Double
    private let isLossless: Bool
    private let chroma: EncodeOptions.Chroma
    private let allowsGrey: Bool
    private let metadata: EncodedMetadata
    private let colorSpace: EncodeOptions.ColorSpace

    /// The unit of frame durations: ticks a second.
    static let ticksPerSecond = 1000
    /// Frames from one key frame to the next, and so the most that are decoded to show any frame.
    private static let keyFrameInterval: Int32 = 30
    /// From this quality on, chroma is not subsampled.
    private static let fullChromaQuality = 0.9
    /// The coarsest AV1 quantizer of libavif.
    private static let coarsestQuantizer = 63.0

    /// Creates a writer.
    ///
    /// - Parameter speed: From 0, the slowest, to 10.
    /// - Throws: `TintypeError.Code.noCoder`, `TintypeError.Code.outOfMemory`.
    init(_ options: EncodeOptions, speed: Int) throws(TintypeError) {
        try AVIFLibrary.load(for: .encode)
        guard let encoder = avifEncoderCreate() else { throw Self.failure(AVIF_RESULT_OUT_OF_MEMORY) }
        self.encoder = encoder
        (isLossless, chroma, allowsGrey) = (options.isLossless, options.chroma, options.allowsGrey)
        quality = isLossless ? 1 : options.usedQuality
        let quantizer = Int32(((1 - quality) * Self.coarsestQuantizer).rounded())
        (metadata, colorSpace) = (options.written, options.written.colorSpace)
        encoder.pointee.maxThreads = 1
        encoder.pointee.speed = Int32(speed)
        encoder.pointee.timescale = UInt64(Self.ticksPerSecond)
        encoder.pointee.keyframeInterval = Self.keyFrameInterval
        (encoder.pointee.minQuantizer, encoder.pointee.maxQuantizer) = (quantizer, quantizer)
        (encoder.pointee.minQuantizerAlpha, encoder.pointee.maxQuantizerAlpha) = (quantizer, quantizer)
    }

    deinit {
        avifEncoderDestroy(encoder)
    }

    /// Sets how often a sequence plays, before its first frame; 0 is forever. Has no effect on libavif 0.11, whose
    /// files ``AVIFRepetition`` changes.
    func setPlayCount(_ count: Int) {
        _ = tintype_avif_set_play_count(encoder, Int32(clamping: count))
    }

    /// Encodes a frame.
    ///
    /// - Parameters:
    ///   - isOpaque: Whether alpha is omitted; the same for all frames of a sequence.
    ///   - ticks: The duration of a frame of a sequence; `nil` for a still image.
    func add(_ pixels: PixelBuffer, isOpaque: Bool, ticks: Int?) throws(TintypeError) {
        let straight = isOpaque ? pixels : try pixels.unpremultiplied()
        // All frames of a sequence have the same planes.
        let isGrey = ticks == nil && allowsGrey && pixels.isGrey
        let samples = AVIFSamples(straight, isOpaque: isOpaque, isGrey: isGrey, colorSpace)
        try straight.withUnsafeBytes { bytes throws(TintypeError) in try add(bytes, samples, ticks: ticks) }
    }

    /// Encodes an image of the high range, whose samples include alpha.
    func add(_ rows: PQRows) throws(TintypeError) {
        let samples = AVIFSamples(pq: rows.size, isOpaque: rows.isOpaque)
        try rows.samples.withUnsafeBytes { bytes in
            Result { () throws(TintypeError) in try add(bytes, samples, ticks: nil) }
        }.get()
    }

    /// Encodes a still image of 16-bit samples.
    func add(_ samples: DeepSamples) throws(TintypeError) {
        let layout = AVIFSamples(samples, isGrey: allowsGrey && samples.isGrey, colorSpace)
        try samples.samples.withUnsafeBytes { bytes in
            Result { () throws(TintypeError) in try add(bytes, layout, ticks: nil) }
        }.get()
    }

    private func add(
        _ bytes: UnsafeRawBufferPointer, _ samples: AVIFSamples, ticks: Int?
    ) throws(TintypeError) {
        let image = try makePlanes(bytes, samples)
        defer { avifImageDestroy(image) }
        try addMetadata(to: image)
        let flag = ticks == nil ? AVIF_ADD_IMAGE_FLAG_SINGLE : AVIF_ADD_IMAGE_FLAG_NONE
        let result = avifEncoderAddImage(encoder, image, UInt64(ticks ?? 1), flag.rawValue)
        guard result == AVIF_RESULT_OK else { throw Self.failure(result) }
    }

    /// Adds the metadata to an image or a frame. libavif writes Exif data and XMP of the first frame only, as items of
    /// the still image and of the track.
    private func addMetadata(to image: UnsafeMutablePointer<avifImage>) throws(TintypeError) {
        try add(metadata.profile) { tintype_avif_set_profile(image, $0, $1) }
        try add(metadata.exif) { tintype_avif_set_exif(image, $0, $1) }
        try add(metadata.xmp) { tintype_avif_set_xmp(image, $0, $1) }
    }

    private func add(_ data: Data?, _ add: (UnsafePointer<UInt8>, Int) -> avifResult) throws(TintypeError) {
        guard let data, !data.isEmpty else { return }
        let result = data.withUnsafeBytes { bytes in
            bytes.bindMemory(to: UInt8.self).baseAddress.map { add($0, bytes.count) } ?? AVIF_RESULT_OK
        }
        guard result == AVIF_RESULT_OK else { throw Self.failure(result) }
    }

    /// Returns the file. Nothing can be added afterwards.
    func finish() throws(TintypeError) -> Data {
        var output = avifRWData()
        defer { avifRWDataFree(&output) }
        let result = avifEncoderFinish(encoder, &output)
        guard result == AVIF_RESULT_OK, let bytes = output.data else { throw Self.failure(result) }
        return Data(bytes: bytes, count: output.size)
    }

    /// Converts straight pixels to planes. The caller destroys the result.
    private func makePlanes(
        _ bytes: UnsafeRawBufferPointer, _ samples: AVIFSamples
    ) throws(TintypeError) -> UnsafeMutablePointer<avifImage> {
        let (width, height) = (UInt32(samples.size.width), UInt32(samples.size.height))
        guard let image = avifImageCreate(width, height, samples.depth.encoded, pixelFormat(of: samples)) else {
            throw Self.failure(AVIF_RESULT_OUT_OF_MEMORY)
        }
        image.pointee.colorPrimaries = avifColorPrimaries(samples.primaries)
        image.pointee.transferCharacteristics = avifTransferCharacteristics(samples.transfer)
        // Only the identity matrix is lossless, except for grey, whose brightness every matrix keeps.
        let matrix = isLossless && !samples.isGrey ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : samples.matrix
        image.pointee.matrixCoefficients = avifMatrixCoefficients(matrix)
        image.pointee.yuvRange = AVIF_RANGE_FULL
        var rgb = avifRGBImage()
        avifRGBImageSetDefaults(&rgb, image)
        rgb.format = AVIF_RGB_FORMAT_RGBA
        rgb.depth = samples.depth.stored
        rgb.ignoreAlpha = samples.isOpaque ? 1 : 0
        // libavif declares the pixels mutable but only reads them.
        rgb.pixels = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        rgb.rowBytes = UInt32(samples.bytesPerRow)
        let result = avifImageRGBToYUV(image, &rgb)
        guard result == AVIF_RESULT_OK else {
            avifImageDestroy(image)
            throw Self.failure(result)
        }
        return image
    }

    private func pixelFormat(of samples: AVIFSamples) -> avifPixelFormat {
        guard !samples.isGrey else { return AVIF_PIXEL_FORMAT_YUV400 }
        // The identity matrix has no chroma.
        guard !isLossless else { return AVIF_PIXEL_FORMAT_YUV444 }
        return switch chroma {
        case .automatic: quality >= Self.fullChromaQuality ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420
        case .yuv420, .sharp420: AVIF_PIXEL_FORMAT_YUV420
        case .yuv422: AVIF_PIXEL_FORMAT_YUV422
        case .yuv444: AVIF_PIXEL_FORMAT_YUV444
        }
    }

    private static func failure(_ result: avifResult) -> TintypeError {
        let code: TintypeError.Code = result == AVIF_RESULT_OUT_OF_MEMORY ? .outOfMemory : .encodeFailed
        let reason = String(cString: avifResultToString(result))
        return TintypeError(code, stage: .encode, "cannot encode an AVIF: \(reason)")
    }
}
