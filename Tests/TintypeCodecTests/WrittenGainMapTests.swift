import Foundation
import Testing
import TintypeTesting

@testable import Tintype
@testable import TintypeCore
@testable import TintypeJPEG

/// HDR images that are written as an 8-bit image with a gain map (ISO 21496-1).
@Suite struct WrittenGainMapTests {
    private static let coders = ImageCoderRegistry.standard
    private static let formats: [ImageFormat] = [.jpeg, .heic, .avif]
    private static let size = PixelSize(width: 96, height: 64)

    /// Light from dark to four times white, from left to right; its 8-bit rendition stops at white.
    private static func light(_ x: Int) -> Float { 4 * Float(x) / Float(size.width - 1) }

    private static func image(tint: SIMD3<Float> = SIMD3(1, 1, 1)) throws -> Image {
        var writer = try HighRangePixels.writer(size)
        for y in 0..<size.height {
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    row.storeBytes(
                        of: SIMD4<Float16>(SIMD4(light(x) * tint, 1)), toByteOffset: 8 * x, as: SIMD4<Float16>.self)
                }
            }
        }
        let pixels = try PixelBuffer.drawn(size) { x, _ in
            let code = SRGBCurve.code(light(x))
            return Pixel(red: code, green: code, blue: code)
        }
        var info = ImageInfo(format: .png, size: size)
        info.isHighRange = true
        return Image(pixels: pixels, info: info, highRange: HighRangePixels(rows: writer.finish()))
    }

    private static func options(_ change: (inout EncodeOptions) -> Void = { _ in }) -> EncodeOptions {
        var options = EncodeOptions(quality: 0.95)
        (options.range, options.highRangeForm, options.compression) = (.high, .gainMap, .lossy)
        change(&options)
        return options
    }

    private func decode(_ data: Data, _ range: DecodeOptions.DynamicRange = .standard) throws -> Image {
        let context = DecodeContext(options: DecodeOptions(range: range))
        return try Self.coders.decoder(for: data).decodeChecked(data, context: context)
    }

    /// Both renditions come back: the ordinary one from any program, the bright one with the gains of the map.
    @Test(arguments: formats, [SIMD3<Float>(1, 1, 1), SIMD3(1, 0.5, 0.25)])
    func bothRenditionsComeBack(_ format: ImageFormat, _ tint: SIMD3<Float>) throws {
        let image = try Self.image(tint: tint)
        let data = try Self.coders.encode(image, as: format, options: Self.options())
        let (plain, bright) = (try decode(data), try decode(data, .high))
        #expect(plain.highRange == nil && bright.info.isHighRange)
        let difference = try #require(PixelDifference(between: plain.pixels, and: image.pixels))
        #expect(difference.maximum <= 12, "\(difference)")
        let light = try #require(bright.highRange)
        for x in stride(from: 4, to: Self.size.width, by: 7) {
            for channel in 0..<3 {
                let expected = Self.light(x) * tint[channel]
                #expect(abs(light[x, 30][channel] - expected) < 0.05 + expected * 0.08, "\(format) \(x) \(channel)")
            }
        }
        let info = try Self.coders.decoder(for: data).info(of: data, isComplete: true)
        #expect(format == .jpeg || info?.isHighRange == true)
    }

    /// A decoded HDR image is written as HDR again, in either form, and as an ordinary image (test 34 of SDWebImage's
    /// coders).
    @Test(arguments: [ImageFormat.heic, .jpeg], [ImageFormat.heic, .jpeg])
    func anHDRImageOfAFileIsEncodedInEveryForm(_ source: ImageFormat, _ format: ImageFormat) throws {
        let file = try Self.coders.encode(Self.image(), as: source, options: Self.options())
        let image = try decode(file, .high)
        try #require(image.highRange != nil)
        let standard = try Self.coders.encode(image, as: format, options: Self.options { $0.range = .standard })
        let plain = try decode(standard, .high)
        #expect(plain.highRange == nil && !plain.info.isHighRange)
        for form in [EncodeOptions.HighRangeForm.gainMap, .direct] {
            let bright = try Self.coders.encode(image, as: format, options: Self.options { $0.highRangeForm = form })
            let light = try #require(try decode(bright, .high).highRange)
            let (x, expected) = (90, Self.light(90))
            #expect(abs(light[x, 30].x - expected) < 0.05 + expected * 0.12, "\(form): \(light[x, 30].x)")
            // The base is that of the ordinary image. In PQ, programs map the tones themselves.
            guard form == .gainMap else { continue }
            #expect(bright.count > standard.count)
            let base = try decode(bright).pixels
            #expect(try #require(PixelDifference(between: base, and: plain.pixels)).maximum <= 12)
        }
    }

    /// ExifTool 12.57 lists the same numbers; imagecodecs 2025 (libultrahdr) decodes the same light.
    @Test func aJPEGStatesItsMapInAnIndexAndInBothForms() throws {
        let data = try Self.coders.encode(Self.image(), as: .jpeg, options: Self.options())
        try data.withUnsafeBytes { raw in
            let first = JPEGSegments(raw)
            let range = try #require(first.furtherImages.first)
            // CIPA DC-007: the second image begins where the first ends, and ends the file.
            #expect(
                range.upperBound == data.count && data[range.lowerBound - 2..<range.lowerBound] == Data([0xFF, 0xD9]))
            let map = Data(data[range])
            #expect(map.starts(with: [0xFF, 0xD8, 0xFF]) && map.suffix(2) == Data([0xFF, 0xD9]))
            #expect(data.range(of: Data("Item:Semantic=\"GainMap\"".utf8)) != nil)
            #expect(data.range(of: Data("Item:Length=\"\(map.count)\"".utf8)) != nil)
            // ISO 21496-1, C.2: versions of 0, one channel in the colours of the base, headrooms of 0 and log2(4).
            let name = Data("urn:iso:std:iso:ts:21496:-1\0".utf8)
            let binary = try #require(map.range(of: name)).upperBound
            #expect(map[binary..<binary + 5] == Data([0, 0, 0, 0, 0x40]))
            let headroom = map[binary + 13..<binary + 17].reduce(0) { $0 << 8 | Int($1) }
            #expect(abs(headroom - 2_000_000) < 2000)
            // The base states the versions alone.
            let base = try #require(data.range(of: name)).upperBound
            #expect(data[base - 32..<base - 28] == Data([0xFF, 0xE2, 0, 34]) && base < range.lowerBound)
        }
    }

    /// The items that ISO/IEC 23008-12, amendment 1, and libavif 1.1 ask for.
    @Test(arguments: [ImageFormat.heic, .avif]) func aHEICOrAVIFHasAToneMappedImage(_ format: ImageFormat) throws {
        let data = try Self.coders.encode(Self.image(), as: format, options: Self.options())
        try data.withUnsafeBytes { raw in
            let file = ISOFile(bytes: raw)
            let meta = try file.itemMetaBox()
            let (primary, kinds) = (try file.primaryItem(meta), try ISOItems.kinds(file, meta))
            let image = try #require(kinds.first { $0.value == "tmap" }).key
            let link = try #require(try file.references(in: meta).first { $0.kind == "dimg" && $0.from == image })
            #expect(link.to.count == 2 && link.to[0] == primary)
            let entry = try #require(try ISOItems.entries(file, meta)[link.to[1]])
            #expect(raw[entry.body.lowerBound + 3] & 1 == 1, "the map is hidden")
            // The tone-mapped image is preferred to the primary one.
            let groups = try file.requiredBox("grpl", in: meta).body
            let group = try file.requiredBox("altr", in: groups).fullBody
            let numbers = try (0..<4).map { try file.number(at: group.lowerBound + 4 * $0, in: group) }
            #expect(numbers[1...] == [2, image, primary])
            let brands = try file.requiredBox("ftyp", in: 0..<data.count).body
            #expect(Data(raw[brands]).range(of: Data("tmap".utf8)) != nil)
        }
    }

    @Test(arguments: formats) func metadataStayWithTheImage(_ format: ImageFormat) throws {
        let exif = ExifData(Data("MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{F}\0\u{2}\0\0\0\u{4}Me!\0\0\0\0\0".utf8))
        let xmp = XMPPacket.packet("<rdf:Description xmlns:dc=\"http://purl.org/dc/elements/1.1/\" dc:format=\"Me\"/>")
        let image = try Self.image().with(metadata: ImageMetadata(exif: exif, xmp: xmp))
        let data = try Self.coders.encode(image, as: format, options: Self.options { $0.metadata = [.exif, .xmp] })
        var options = DecodeOptions(range: .high)
        options.keepsMetadata = true
        let written = try Self.coders.decoder(for: data).decodeChecked(data, context: DecodeContext(options: options))
        #expect(written.highRange != nil && written.exif != nil)
        #expect(written.metadata?.xmp?.range(of: Data("dc:format".utf8)) != nil)
        // Written again without a map, the packet does not claim one.
        let plain = try Self.coders.encode(
            written, as: .jpeg,
            options: {
                var options = EncodeOptions()
                options.metadata = [.xmp]
                return options
            }())
        #expect(plain.range(of: Data("dc:format".utf8)) != nil && plain.range(of: Data("GainMap".utf8)) == nil)
    }

    /// Nothing is brighter than white, so there is nothing to map.
    @Test func anImageWithoutBrightLightIsWrittenAlone() throws {
        let pixels = try PixelBuffer.filled(Pixel(red: 90, green: 80, blue: 70), size: Self.size)
        var writer = try HighRangePixels.writer(Self.size)
        writer.clear()
        let image = Image(
            pixels: pixels, info: ImageInfo(format: .png, size: Self.size),
            highRange: HighRangePixels(rows: writer.finish()))
        let data = try Self.coders.encode(image, as: .jpeg, options: Self.options())
        #expect(try data == Self.coders.encode(image, as: .jpeg, options: EncodeOptions(quality: 0.95)))
    }

    @Test func theByteLimitCountsTheMap() throws {
        let data = try Self.coders.encode(
            Self.image(), as: .jpeg, options: Self.options { $0.maximumByteCount = 3500 })
        #expect(try data.count <= 3500 && decode(data, .high).highRange != nil)
    }

    /// Every format has a form, and the form that is asked for.
    @Test func aFormatHasTheFormThatIsWanted() {
        #expect([ImageFormat.avif, .heic, .jpeg, .jxl].allSatisfy(Self.coders.keepsHighRange))
        #expect(![ImageFormat.png, .gif, .webp, .tiff, .bmp].contains(where: Self.coders.keepsHighRange))
        let (direct, map) = (Self.options { $0.highRangeForm = .automatic }, Self.options())
        #expect(direct.identifier != map.identifier)
        for format in [ImageFormat.avif, .heic, .jpeg, .jxl] {
            guard let encoder = try? Self.coders.encoder(for: format) else { continue }
            let forms = [direct, map].map { options -> String in
                switch options.usedForm(for: encoder) {
                case .direct: "direct"
                case .gainMap: "map"
                case nil: "none"
                }
            }
            #expect(forms == [format == .jpeg ? "map" : "direct", format == .jxl ? "direct" : "map"])
        }
    }
}

/// Transforms of HDR images that change each pixel by itself.
@Suite struct KeptGainTests {
    /// A pixel four times as bright as its rendition stays so, whatever its colour becomes.
    @Test(arguments: [
        RoundCornersTransformer(radius: 0, borderWidth: 0) as any ImageTransformer, ColorTransformer(brightness: 0.1),
    ]) func theGainStays(_ transformer: any ImageTransformer) throws {
        let size = PixelSize(width: 8, height: 8)
        let pixels = try PixelBuffer.filled(Pixel(red: 128, green: 64, blue: 32), size: size)
        let base = LinearPixel(pixels, 0, 0).straight
        let gain: Float = 4
        var writer = try HighRangePixels.writer(size)
        for y in 0..<8 {
            writer.withRows(from: y) { row in
                for x in 0..<8 {
                    let light = (base + GainMapImage.offset) * gain - GainMapImage.offset
                    row.storeBytes(of: SIMD4<Float16>(SIMD4(light, 1)), toByteOffset: 8 * x, as: SIMD4<Float16>.self)
                }
            }
        }
        let image = Image(
            pixels: pixels, info: ImageInfo(format: .png, size: size), highRange: HighRangePixels(rows: writer.finish())
        )
        let result = try image.transformed(by: TransformerChain([transformer, FlipTransformer(vertical: true)]))
        let (light, own) = (try #require(result.highRange)[3, 3], LinearPixel(result.pixels, 3, 3).straight)
        for channel in 0..<3 {
            let ratio = (light[channel] + GainMapImage.offset) / (own[channel] + GainMapImage.offset)
            #expect(abs(ratio - gain) < 0.05, "\(channel): \(ratio)")
        }
        // A blur mixes pixels of different gains.
        #expect(try image.transformed(by: BlurTransformer(radius: 2)).highRange == nil)
    }
}
