import Foundation

@testable import TintypeAVIF
@testable import TintypeBMP
@testable import TintypeCore
@testable import TintypeGIF
@testable import TintypeHEIF
@testable import TintypeJPEG
@testable import TintypeJXL
@testable import TintypePNG
@testable import TintypeTIFF
@testable import TintypeWebP

/// Takes one input of any format through all that `tintype convert` does: detect, decode, transform, encode, and decode
/// the result again.
struct ConvertRun {
    private let bytes: Data
    private let choice: FuzzChoice

    private static let coders = ImageCoderRegistry(
        decoders: FuzzTarget.allDecoders,
        encoders: [
            AVIFEncoder(), BMPEncoder(), GIFEncoder(), HEIFEncoder(), JPEGEncoder(), JXLEncoder(effort: 1),
            PNGEncoder(),
            TIFFEncoder(), WebPEncoder(),
        ])
    /// Fast encoders come more often than slow ones.
    private static let formats: [ImageFormat] = [
        .png, .jpeg, .bmp, .gif, .tiff, .webp, .png, .jpeg, .gif, .png, .tiff, .jxl, .png, .jpeg, .gif, .bmp, .avif,
        .heic,
    ]
    /// Small, so that no input takes long for its size alone.
    private static let limits = DecodeLimits(
        pixels: 1 << 18, side: 4096, frames: 16, scans: 40, animatedPixels: 1 << 20)

    init(_ bytes: Data) {
        self.bytes = bytes
        choice = FuzzChoice(bytes)
    }

    func run() {
        guard let image = decode(bytes) else { return }
        guard let transformed = try? transform(image) else { return }
        let format = Self.formats[choice.number(below: Self.formats.count)]
        var options = EncodeOptions(quality: Double(choice.number(below: 101)) / 100)
        if choice.isHeads(7) { options.metadata = Set(MetadataKind.allCases) }
        if choice.isHeads(6) { options.range = .high }
        if choice.isHeads(6) { options.colorSpace = .displayP3 }
        guard let data = try? Self.coders.encode(transformed, as: format, options: options) else { return }
        let decoded = try? Self.coders.decoder(for: data).decode(data, context: DecodeContext())
        precondition(decoded?.size == transformed.size, "the encoded image cannot be decoded at its size")
    }

    private func decode(_ data: Data) -> Image? {
        var options = DecodeOptions(range: choice.isHeads(2) ? .high : .standard, keepsExif: choice.isHeads(7))
        if choice.isHeads(8) { options.damageTolerance = .none }
        options.allowsPartial = choice.isHeads(5)
        let context = DecodeContext(options: options, limits: Self.limits)
        guard let decoder = try? Self.coders.decoder(for: data) else { return nil }
        if let image = try? decoder.decode(data, context: context) { return withMetadata(image) }
        guard options.allowsPartial, let salvager = decoder as? any SalvagingImageDecoder else { return nil }
        return (try? salvager.salvage(data, context: context)) ?? nil
    }

    /// Returns an image with metadata to write: its Exif data, and a part of the input.
    private func withMetadata(_ image: Image) -> Image {
        guard choice.isHeads(7) else { return image }
        let part = bytes.suffix(choice.number(below: 1000))
        return Image(
            pixels: image.pixels, info: image.info, animation: image.animation, highRange: image.highRange,
            metadata: ImageMetadata(exif: image.exif, xmp: Data(part), iptc: Data(part)))
    }

    private func transform(_ image: Image) throws(TintypeError) -> Image {
        let side = PixelSize(width: 1 + choice.number(below: 97), height: 1 + choice.number(below: 89))
        let transformers: [any ImageTransformer] = [
            ResizeTransformer(to: side), CropTransformer(to: side), RotateTransformer(degrees: 90),
            FlipTransformer(horizontal: true), BlurTransformer(radius: 2),
            PadTransformer(top: 3, left: 3, bottom: 3, right: 3),
            RoundCornersTransformer(radius: 5), ColorTransformer(contrast: 1.5), RotateTransformer(degrees: 30),
        ]
        let first = try image.transformed(by: transformers[choice.number(below: transformers.count)])
        guard choice.isHeads(6) else { return first }
        return try first.transformed(by: transformers[choice.number(below: 7)])
    }
}
