package import Foundation
public import TintypeCore

extension ImageFormat {
    /// Truevision TGA (Targa).
    public static let tga = ImageFormat(
        rawValue: "tga", mediaType: "image/x-tga", fileExtensions: ["tga", "targa", "icb", "vda", "vst"])
}

extension ImageCoderRegistry {
    /// The decoder of TGA.
    public static let tga = ImageCoderRegistry(decoders: [TGADecoder()])
}

/// Decodes TGA: palettes, 15, 16, 24 and 32 bits, grey with or without alpha, with or without run lengths, from every
/// corner.
///
/// A TGA has no signature at its beginning. It is recognized by its footer (version 2), or by the name of the source or
/// ``DecodeOptions/formatHint``, and in each case only if all fields of the header have values that a TGA can have.
///
/// Add it to the coders of a pipeline; it is not among those of `ImageCoderRegistry.standard`:
///
///     configuration.coders = .standard.adding(.tga).sandboxed()
///
/// Decoders hold no state; any thread may use one.
package struct TGADecoder: RecognizingImageDecoder, PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// TGA.
    package var formats: Set<ImageFormat> { [.tga] }

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// Returns `false`: the first bytes alone tell too little.
    package func recognizes(_ head: Data) -> Bool { false }

    /// Whether an image has the header of a TGA, and its footer or its name.
    package func recognizes(_ head: Data, _ marks: RecognitionMarks) -> Bool {
        (TGAHeader.isFooter(marks.end) || marks.names(.tga)) && TGAHeader(head) != nil
    }

    /// Reads the header.
    ///
    /// - Returns: `nil` if more bytes are needed: whether pixels have alpha is stated at the end.
    /// - Throws: `TintypeError.Code.undecodable`.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard isComplete else { return nil }
        return try bytes.withTypedBytes { raw throws(TintypeError) in try Self.header(raw).info }
    }

    /// Decodes the image, or the part and size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated,
    ///   `TintypeError.Code.limitExceeded`, before anything is allocated, `TintypeError.Code.outOfMemory`,
    ///   `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        guard let image = try Self.decode(bytes, context, allowsPartial: false) else { throw .truncatedTGA }
        return image
    }

    private static func header(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) -> TGAHeader {
        guard let header = TGAHeader.read(bytes) else {
            throw TintypeError(.undecodable, stage: .decode, "the TGA is truncated, or its header is damaged")
        }
        return header
    }

    /// - Returns: `nil` if pixels are missing: all, or if `allowsPartial` is false, any.
    private static func decode(
        _ bytes: Data, _ context: DecodeContext, allowsPartial: Bool
    ) throws(TintypeError) -> Image? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let header = try header(raw)
            let info = header.info
            try context.limits.check(info, byteCount: raw.count)
            try context.limits.checkMemory(
                bytesPerPixel: PixelBuffer.bytesPerPixel + (header.hasRunLengths ? header.bytesPerPixel : 0),
                of: info.size)
            let colors = try TGAColors(header, raw)
            return try TGAPixels.with(header, raw) { (pixels) throws(TintypeError) in
                guard allowsPartial ? pixels.rowCount > 0 : pixels.count == info.size.area else { return nil }
                return try Self.image(header, pixels, colors, context)
            }
        }
    }

    /// Makes the image. Missing rows are transparent.
    private static func image(
        _ header: TGAHeader, _ pixels: TGAPixels, _ colors: TGAColors, _ context: DecodeContext
    ) throws(TintypeError) -> Image {
        let (size, info) = (header.size, header.info)
        let isPremultiplied = header.hasAlpha && header.alpha == .premultiplied
        let target = try DecodeTarget(info, options: context.options)
        var resampler = try RowResampler(from: size, crop: target.part, to: target.size, filter: .lanczos3)
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: 1))
        let rowLength = strip.bytesPerRow
        for y in 0..<size.height {
            if y % 16 == 0 { try context.checkCancelled() }
            let row = header.isTopDown ? y : size.height - 1 - y
            try strip.withRows { target throws(TintypeError) in
                guard row < pixels.rowCount else {
                    target.initializeMemory(as: UInt8.self, repeating: 0)
                    return
                }
                try pixels.forEach(inStoredRow: row) { (x, offset) throws(TintypeError) in
                    var color = try colors.color(pixels.value(at: offset))
                    if isPremultiplied { color.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: color.w)) }
                    target.storeBytes(of: color, toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                }
            }
            if header.hasAlpha, !isPremultiplied { strip.premultiply(rows: 1) }
            try strip.withRows { rows throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(rows), count: 1, stride: rowLength)
            }
        }
        return Image(pixels: resampler.finish(), info: info, scale: context.options.scale ?? 1)
    }
}

extension TGADecoder: SalvagingImageDecoder {
    /// Decodes the rows of a truncated image.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try Self.decode(bytes, context, allowsPartial: true)
    }
}

extension TintypeError {
    fileprivate static let truncatedTGA = TintypeError(.undecodable, stage: .decode, "the TGA is truncated")
}
