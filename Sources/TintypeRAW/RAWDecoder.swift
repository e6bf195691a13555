public import Foundation
public import TintypeCore
import TintypeJPEG

extension ImageFormat {
    /// A raw image of a camera: DNG, and the formats of manufacturers.
    public static let raw = ImageFormat(
        rawValue: "raw", mediaType: "image/x-dcraw",
        fileExtensions: ["dng", "arw", "cr2", "cr3", "crw", "nef", "orf", "pef", "raf", "raw", "rw2", "srw"])
}

/// Develops raw images of cameras with LibRaw, with the white balance of the camera.
///
/// Add it to the coders of a pipeline; it is not among those of `ImageCoderRegistry.standard`:
///
///     configuration.coders = .standard.adding(decoders: [RAWDecoder()])
///
/// With ``DecodeOptions/EmbeddedThumbnail/whereLargeEnough``, the preview that the camera embedded is used if it is large
/// enough, which takes a hundredth of the time. LibRaw is loaded when the first raw image is decoded: install `libraw20` on
/// Debian, `LibRaw` on Fedora.
///
/// LibRaw reads formats of hundreds of cameras in C++: decode images of strangers in a process of its own. Decoders hold no
/// state; any thread may use one.
public struct RAWDecoder: RecognizingImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// Raw images.
    public var formats: Set<ImageFormat> { [.raw] }

    /// The directory of a raw image that is a TIFF is near its beginning.
    public var headLength: Int { 4096 }

    /// Whether an image begins like a raw image, and not like an ordinary TIFF.
    public func recognizes(_ head: Data) -> Bool { RAWSignature.matches(head) }

    /// Reads the size.
    ///
    /// - Returns: `nil` if `isComplete` is false.
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/noCoder`` if LibRaw is not installed,
    ///   ``TintypeError/Code/outOfMemory``.
    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        return try bytes.withTypedBytes { raw throws(TintypeError) in try Self.info(raw) }
    }

    /// Develops the image at the requested size, or decodes the embedded preview.
    ///
    /// - Throws: ``TintypeError/Code/undecodable`` for an image that is damaged or of an unknown camera,
    ///   ``TintypeError/Code/limitExceeded``, before anything is allocated, ``TintypeError/Code/noCoder`` if LibRaw is not
    ///   installed, ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let info = try Self.info(raw)
            try context.limits.check(info, byteCount: raw.count)
            let size = context.options.size.target(for: info.size)
            let file = try RAWFile(raw, isCancelled: context.isCancelled)
            if let pixels = try Self.decodePreview(of: file, info, size, context) {
                return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
            }
            // The samples, four channels of 16 bits twice while they are interpolated, and the result.
            try context.limits.checkMemory(bytesPerPixel: 2 + 2 * 8 + 3 + PixelBuffer.bytesPerPixel, of: info.size)
            let pixels = try file.develop()
            try context.checkCancelled()
            let scaled = try ResizeTransformer(to: size, mode: .stretch).transform(pixels)
            return Image(pixels: scaled, info: info, scale: context.options.scale ?? 1)
        }
    }

    private static func info(_ raw: UnsafeRawBufferPointer) throws(TintypeError) -> ImageInfo {
        ImageInfo(format: .raw, size: try RAWFile(raw).measure())
    }

    /// Decodes the preview, if the options allow it, it is large enough, and it shows the same part upright.
    private static func decodePreview(
        of file: borrowing RAWFile, _ info: ImageInfo, _ size: PixelSize, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        guard context.options.embeddedThumbnail == .whereLargeEnough, context.options.crop == nil,
            let jpeg = try file.preview(), let header = try? JPEGDecoder().info(of: jpeg, isComplete: true),
            header.size.isThumbnail(of: info.size, atLeast: size)
        else { return nil }
        var preview = context
        preview.options = DecodeOptions(size: .shrink(size))
        let pixels = try? JPEGDecoder().decode(jpeg, context: preview).pixels
        try context.checkCancelled()
        return pixels
    }
}
