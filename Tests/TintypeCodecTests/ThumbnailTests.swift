import Foundation
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCore

/// Embedded thumbnails, Exif data and pixel density.
@Suite struct ThumbnailTests {
    private let size = PixelSize(width: 900, height: 600)

    private func samplePixels() throws -> PixelBuffer {
        try .drawn(size) { x, y in
            Pixel(red: UInt8(x / 4 & 255), green: UInt8(y / 3 & 255), blue: UInt8((x + y) / 8 & 255))
        }
    }

    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws(TintypeError) -> Image {
        try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext(options: options))
    }

    private func encoded(_ format: ImageFormat, embedsThumbnail: Bool = true) throws -> Data {
        try DecodeTests.coders.encode(
            try samplePixels(), as: format, options: EncodeOptions(quality: 0.9, embedsThumbnail: embedsThumbnail))
    }

    // MARK: Embedded

    @Test(arguments: [ImageFormat.jpeg, .heic])
    func aThumbnailIsEmbeddedOnRequest(_ format: ImageFormat) throws {
        let (with, without) = (try encoded(format), try encoded(format, embedsThumbnail: false))
        #expect(with.count > without.count)
        #expect(PixelDifference(between: try decode(with).pixels, and: try decode(without).pixels)?.maximum == 0)
        #expect(try decode(with).info == decode(without).info)
    }

    @Test func theEmbeddedThumbnailIsAJPEGOfTheExifData() throws {
        let image = try decode(try encoded(.jpeg), DecodeOptions(keepsExif: true))
        let thumbnail = try decode(try #require(image.exif?.thumbnail))
        #expect(thumbnail.size == PixelSize(width: 320, height: 213) && image.exif?.orientation == .up)
    }

    /// The thumbnail differs from the image, which shows which of them was decoded.
    @Test func aThumbnailReplacesTheImageIfLargeEnoughAndAllowed() throws {
        let small = try JPEGEncoder().encode(
            .filled(Pixel(red: 255, green: 0, blue: 0), size: PixelSize(width: 320, height: 213)), as: .jpeg,
            options: EncodeOptions())
        let data = try #require(Self.replacingThumbnail(of: try encoded(.jpeg), by: small))
        func isRed(_ size: DecodeOptions.Size, _ allowed: DecodeOptions.EmbeddedThumbnail) throws -> Bool {
            let image = try decode(data, DecodeOptions(size: size, embeddedThumbnail: allowed))
            #expect(image.info.size == self.size && image.size == size.target(for: self.size))
            let pixel = image.pixels[1, 1]
            return pixel.red > 240 && pixel.blue < 16
        }
        #expect(try isRed(.fit(PixelSize(width: 200, height: 200)), .whereLargeEnough))
        #expect(try isRed(.fit(PixelSize(width: 320, height: 320)), .whereLargeEnough))
        #expect(try !isRed(.fit(PixelSize(width: 321, height: 321)), .whereLargeEnough))
        #expect(try !isRed(.fit(PixelSize(width: 200, height: 200)), .never))
        #expect(try !isRed(.full, .whereLargeEnough))
    }

    @Test func aThumbnailIsOrientedLikeItsImage() throws {
        let stored = try encoded(.jpeg)
        let offset = try #require(stored.firstRange(of: [1, 0x12, 0, 3, 0, 0, 0, 1, 0, 1])).upperBound - 1
        for orientation in Orientation.allCases {
            var data = stored
            data[offset] = UInt8(orientation.rawValue)
            let box = DecodeOptions.Size.fit(PixelSize(width: 90, height: 90))
            let whole = try decode(data, DecodeOptions(size: box))
            let small = try decode(data, DecodeOptions(size: box, embeddedThumbnail: .whereLargeEnough))
            #expect(small.info.orientation == orientation && small.size == whole.size)
            #expect(try #require(PixelDifference(between: small.pixels, and: whole.pixels)).mean < 4, "\(orientation)")
        }
    }

    @Test func aDamagedThumbnailIsIgnored() throws {
        let data = try #require(Self.replacingThumbnail(of: try encoded(.jpeg), by: Data([0xFF, 0xD8, 0xFF, 0xD9])))
        let options = DecodeOptions(size: .fit(PixelSize(width: 90, height: 90)), embeddedThumbnail: .whereLargeEnough)
        #expect(try decode(data, options).size.width == 90)
    }

    @Test func aHEICsThumbnailReplacesTheImage() throws {
        let data = try encoded(.heic)
        let box = DecodeOptions.Size.fit(PixelSize(width: 150, height: 150))
        let whole = try decode(data, DecodeOptions(size: box))
        let small = try decode(data, DecodeOptions(size: box, embeddedThumbnail: .whereLargeEnough))
        #expect(small.size == whole.size && small.info == whole.info)
        let difference = try #require(PixelDifference(between: small.pixels, and: whole.pixels))
        // Different pixels, although they show the same scene.
        #expect(difference.maximum > 0 && difference.mean < 4, "\(difference)")
    }

    @Test func bothOptionsArePartOfTheKey() {
        #expect(DecodeOptions(keepsExif: true).identifier == "exif")
        #expect(DecodeOptions(embeddedThumbnail: .whereLargeEnough).identifier == "embedded")
    }

    // MARK: Exif data

    @Test(arguments: ["orientation-6.jpg", "exif-6.png", "exif-6.webp"])
    func exifIsPreservedOnRequest(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        #expect(try decode(data).exif == nil)
        let image = try decode(data, DecodeOptions(keepsExif: true))
        #expect(image.exif?.orientation == .right && image.info.orientation == .right)
        #expect(image.exif?.thumbnail == nil && image.exif?.text(0x010F) == nil)
        #expect(image.replacing(pixels: image.pixels).exif == image.exif)
    }

    @Test func exifOfAJPEGXLIsPreservedOnRequestCompressedOrNot() throws {
        // Made from a JPEG with Exif data, which cjxl compresses.
        let packed = try FixtureManifest.named("orientation-6.jxl").data
        #expect(packed.firstRange(of: Data("brobExif".utf8)) != nil)
        #expect(try decode(packed).exif == nil)
        #expect(try decode(packed, DecodeOptions(keepsExif: true)).exif?.number(0x0112) != nil)
        let exif = try #require(try decode(try encoded(.jpeg), DecodeOptions(keepsExif: true)).exif)
        let box = Data([0, 0, 0, 0]) + exif.bytes
        let plain = try FixtureManifest.named("container.jxl").data
        #expect(try decode(plain, DecodeOptions(keepsExif: true)).exif == nil)
        let marked = plain + PNGBuilder.bigEndian(UInt32(box.count + 8)) + Data("Exif".utf8) + box
        let image = try decode(marked, DecodeOptions(keepsExif: true))
        #expect(image.exif == exif && image.info.density == exif.density)
        #expect(try DecodeTests.coders.info(of: marked) == image.info)
        // A truncated box loses the Exif data, and not the image.
        #expect(try decode(marked.dropLast(exif.bytes.count - 2), DecodeOptions(keepsExif: true)).exif == nil)
    }

    @Test func exifOfAnAnimationIsPreservedOnRequest() throws {
        let plain = try FixtureManifest.named("rects.png").data
        let exif = Data("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
        let marked = plain.prefix(33) + PNGBuilder.chunk("eXIf", exif) + plain.dropFirst(33)
        #expect(try decode(marked).exif == nil)
        let image = try decode(marked, DecodeOptions(keepsExif: true))
        #expect(image.isAnimated && image.exif?.orientation == .up)
    }

    @Test func anyBytesAreReadAsExifWithoutACrash() throws {
        let start = try #require(try decode(try encoded(.jpeg), DecodeOptions(keepsExif: true)).exif).bytes.prefix(200)
        var random = SeededRandom.printed("Exif data")
        for _ in 0..<5_000 {
            var bytes = Data(start)
            for _ in 0..<4 { bytes[Int.random(in: 4..<80, using: &random)] = .random(in: 0...255, using: &random) }
            guard let exif = ExifData(bytes.prefix(Int.random(in: 0...200, using: &random))) else { continue }
            let thumbnail = exif.thumbnail
            #expect(thumbnail.map { $0.count <= exif.bytes.count } ?? true)
            #expect(exif.density.map { $0.across > 0 } ?? true)
            #expect(exif.text(0x0112) == nil || exif.orientation == nil)
        }
    }

    // MARK: Density

    @Test func densityIsReadWhereTheFormatStoresIt() throws {
        let phys = PNGBuilder.bigEndian(3937) + PNGBuilder.bigEndian(7874) + Data([1])
        let png = try PNGBuilder.image(with: ("pHYs", phys))
        let density = try #require(try decode(png).info.density)
        #expect(abs(density.across - 100) < 0.01 && abs(density.down - 200) < 0.01)
        #expect(try DecodeTests.coders.info(of: png)?.density == density)
        let shapeAlone = try PNGBuilder.image(with: ("pHYs", phys.dropLast() + [0]))
        #expect(try decode(shapeAlone).info.density == nil)
        var jpeg = try encoded(.jpeg)
        let jfif = try #require(jpeg.firstRange(of: Data("JFIF\0".utf8))).upperBound
        jpeg.replaceSubrange(jfif + 2..<jfif + 7, with: [1, 0, 72, 0, 96])
        #expect(try decode(jpeg).info.density == PixelDensity(across: 72, down: 96))
        var bmp = try encoded(.bmp)
        #expect(abs(try #require(try decode(bmp).info.density).across - 72) < 0.1)
        bmp.replaceSubrange(38..<46, with: [0x61, 0x0F, 0, 0, 0xC2, 0x1E, 0, 0])
        let metric = try #require(try decode(bmp).info.density)
        #expect(abs(metric.across - 100) < 0.01 && abs(metric.down - 200) < 0.01)
        bmp.replaceSubrange(38..<42, with: [0, 0, 0, 0x80])
        #expect(try decode(bmp).info.density == nil)
        jpeg[jfif + 2] = 2
        #expect(try decode(jpeg).info.density == PixelDensity(across: 72 * 2.54, down: 96 * 2.54))
    }

    private static func replacingThumbnail(of data: Data, by small: Data) -> Data? {
        guard let segment = data.firstRange(of: Data("Exif\0\0".utf8)) else { return nil }
        let start = segment.lowerBound
        let length = Int(data[start - 2]) << 8 | Int(data[start - 1])
        let head = data[start..<start + 6 + 8 + 18 + 42]
        var body = Data(head)
        body.replaceSubrange(body.count - 8..<body.count - 4, with: PNGBuilder.bigEndian(UInt32(small.count)))
        body += small
        let total = UInt16(body.count + 2)
        return data[..<(start - 2)] + [UInt8(total >> 8), UInt8(total & 255)] + body + data[(start + length - 2)...]
    }
}
