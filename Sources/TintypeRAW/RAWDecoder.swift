package import Foundation
public import TintypeCore

extension ImageFormat {
    /// A raw image of a camera: DNG, and the formats of manufacturers.
    public static let raw = ImageFormat(
        rawValue: "raw", mediaType: "image/x-dcraw",
        fileExtensions: ["dng", "arw", "cr2", "cr3", "crw", "nef", "orf", "pef", "raf", "raw", "rw2", "srw"])
}

extension ImageCoderRegistry {
    /// The decoder of the raw images of cameras.
    public static let raw = ImageCoderRegistry(decoders: [RAWDecoder()])
}

/// Develops raw images of cameras with LibRaw, with the white balance of the camera.
///
/// Add it to the coders of a pipeline; it is not among those of `ImageCoderRegistry.standard`:
///
///     configuration.coders = .standard.adding(.raw).sandboxed()
///
/// With ``DecodeOptions/EmbeddedThumbnail/whereLargeEnough``, the preview that the camera embedded is used if it is
/// large enough, which is much faster. Any damage is an error, whatever ``DecodeOptions/damageTolerance`` is.
///
/// LibRaw 0.20 or 0.21 is loaded when the first raw image is decoded: install `libraw20` on Debian 12, `libraw23` on
/// Debian 13, `LibRaw` on Fedora.
///
/// LibRaw reads formats of hundreds of cameras in C++: images of strangers belong in a worker process (`sandboxed()` of
/// `TintypeSandbox`). Decoders hold no state; any thread may use one.
package struct RAWDecoder: RecognizingImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// Raw images.
    package var formats: Set<ImageFormat> { [.raw] }

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// Loads LibRaw.
    package static func prepareWorker() {
        _ = RAWLibrary.standard
    }

    /// The number of bytes to recognize a raw image by. The directory of one that is a TIFF is near its beginning.
    package var headLength: Int { 4096 }

    /// Whether an image begins like a raw image, and not like an ordinary TIFF.
    package func recognizes(_ head: Data) -> Bool { RAWSignature.matches(head) }

    /// Reads the size.
    ///
    /// - Returns: `nil` if `isComplete` is false.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`, `TintypeError.Code.noCoder`
    ///   if LibRaw is not installed, `TintypeError.Code.outOfMemory`.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        let size = try bytes.withTypedBytes { raw throws(TintypeError) in try RAWFile(raw).measure() }
        return ImageInfo(format: .raw, size: size)
    }

    /// Develops the image at the requested size, or decodes the embedded preview.
    ///
    /// - Throws: `TintypeError.Code.undecodable` for an image that is damaged or of an unknown camera,
    ///   `TintypeError.Code.limitExceeded`, before anything is allocated, `TintypeError.Code.noCoder` if LibRaw is
    ///   not installed, `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let (scale, limits) = (context.options.scale ?? 1, context.limits)
            let file = try RAWFile(raw, isCancelled: context.isCancelled)
            let header = file.header
            // LibRaw unpacks the whole sensor.
            for size in [header.sensor, header.size] {
                try limits.check(ImageInfo(format: .raw, size: size), byteCount: raw.count)
            }
            if let pixels = try Self.decodePreview(of: file, header, context) {
                return Image(pixels: pixels, info: ImageInfo(format: .raw, size: header.size), scale: scale)
            }
            try limits.checkMemory(bytesPerPixel: 0, of: header.size, other: header.memoryBytes)
            let pixels = try file.develop()
            try context.checkCancelled()
            let size = context.options.size.target(for: pixels.size)
            let scaled = try ResizeTransformer(to: size, mode: .stretch).transform(pixels)
            return Image(pixels: scaled, info: ImageInfo(format: .raw, size: pixels.size), scale: scale)
        }
    }

    /// Decodes the preview, if the options allow it and it can replace the image.
    private static func decodePreview(
        of file: borrowing RAWFile, _ header: RAWHeader, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        guard context.options.embeddedThumbnail == .whereLargeEnough, context.options.crop == nil else { return nil }
        let size = context.options.size.target(for: header.size)
        guard let jpeg = try file.preview(), let preview = RAWPreview(jpeg, of: header.size, at: size) else {
            return nil
        }
        return try preview.decode(at: size, context)
    }
}
