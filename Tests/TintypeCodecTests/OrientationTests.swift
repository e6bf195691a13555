import Foundation
import Testing
import Tintype
import TintypeTesting

/// Every orientation in every format that stores one is applied once, also to thumbnails and parts.
@Suite struct OrientationTests {
    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws(TintypeError) -> Image {
        let context = DecodeContext(options: options)
        return try DecodeTests.coders.decoder(for: data).decode(data, context: context)
    }

    /// Returns a file of upright pixels that states the orientation.
    private func file(_ format: ImageFormat, _ orientation: Orientation) throws -> Data {
        switch format {
        case .jpeg:
            try FixtureManifest.named("orientation-1.jpg").data.saying(
                orientation, after: [0x12, 1, 3, 0, 1, 0, 0, 0])
        case .webp:
            try FixtureManifest.named("exif-6.webp").data.saying(orientation, after: [1, 0x12, 0, 3, 0, 0, 0, 1, 0])
        case .tiff:
            try FixtureManifest.named("orientation-6.tiff").data.saying(
                orientation, after: [0x12, 1, 3, 0, 1, 0, 0, 0])
        default: try Self.png(orientation)
        }
    }

    private static func png(_ orientation: Orientation) throws -> Data {
        let plain = try FixtureManifest.named("rgb-8.png").data
        let entry: [UInt8] = [1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0]
        let exif = Data("MM\0*".utf8) + [0, 0, 0, 8, 0, 1] + entry
        return plain.prefix(33) + PNGBuilder.chunk("eXIf", exif + Data(count: 4)) + plain.dropFirst(33)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .tiff], Orientation.allCases)
    func orientationIsAppliedOnce(_ format: ImageFormat, _ orientation: Orientation) throws {
        let stored = try decode(file(format, .up)).pixels
        let image = try decode(file(format, orientation))
        #expect(image.info.orientation == orientation && image.info.storedSize == stored.size)
        #expect(image.size == orientation.displayed(stored.size) && image.info.size == image.size)
        #expect(PixelDifference(between: image.pixels, and: try stored.oriented(orientation))?.maximum == 0)
        let box = PixelSize(width: 13, height: 13)
        let thumbnail = try decode(file(format, orientation), DecodeOptions(size: .fit(box)))
        #expect(thumbnail.size == image.size.fitted(into: box))
        let resized = try ResizeTransformer(to: box).transform(image.pixels)
        #expect(try #require(PixelDifference(between: thumbnail.pixels, and: resized)).mean < 4)
    }

    /// Files made by the formats' own tools, with reference images decoded by them.
    @Test(arguments: ["heic", "jxl"], Orientation.allCases)
    func thumbnailsOfRotatedImagesAreUpright(_ ending: String, _ orientation: Orientation) throws {
        let fixture = try FixtureManifest.named("orientation-\(orientation.rawValue).\(ending)")
        let expected = try #require(try fixture.expectedPixels)
        let box = PixelSize(width: 16, height: 16)
        let thumbnail = try decode(fixture.data, DecodeOptions(size: .fit(box)))
        let resized = try ResizeTransformer(to: box).transform(expected)
        #expect(try #require(PixelDifference(between: thumbnail.pixels, and: resized)).mean < 3)
        // Reported as stored, although libheif applies it.
        #expect(thumbnail.info.orientation == orientation && thumbnail.info.size == expected.size)
        #expect(thumbnail.info.storedSize == orientation.displayed(expected.size))
    }

    /// Both transform boxes of AVIF, with all their values.
    @Test func everyTransformOfAnAVIFIsApplied() throws {
        let data = try FixtureManifest.named("both.avif").data
        let turn = try #require(data.firstRange(of: Data("irot".utf8))).upperBound
        let mirror = try #require(data.firstRange(of: Data("imir".utf8))).upperBound
        let stored = try decode(data.setting(turn, 0).setting(mirror, 0)).pixels.oriented(.downMirrored)
        var seen: Set<Orientation> = []
        for quarters in 0..<4 {
            for axis in 0..<2 {
                let image = try decode(data.setting(turn, UInt8(quarters)).setting(mirror, UInt8(axis)))
                seen.insert(image.info.orientation)
                #expect(
                    PixelDifference(between: image.pixels, and: try stored.oriented(image.info.orientation))?.maximum
                        == 0)
            }
        }
        // Rotation, then mirroring; images that are not mirrored have no `imir` box.
        #expect(seen == [.upMirrored, .downMirrored, .leftMirrored, .rightMirrored])
    }

    /// If a file mirrors before it rotates, both apply in that order.
    @Test func transformBoxesOfAHEICApplyInFileOrder() throws {
        let data = try FixtureManifest.named("orientation-5.heic").data
        // The image is rotated by three quarters, then mirrored horizontally; entries 5 and 6 of the list.
        let list = try #require(data.firstRange(of: Data("ipma".utf8))).upperBound
        let turn = try #require(data[list...].firstRange(of: Data([5, 6]))).lowerBound
        let swapped = data.setting(turn, 6).setting(turn + 1, 5)
        let (image, plain) = (try decode(swapped), try decode(data))
        #expect(plain.info.orientation == .leftMirrored && image.info.orientation == .rightMirrored)
        let upright = try decode(FixtureManifest.named("orientation-1.heic").data).pixels
        let difference = try #require(PixelDifference(between: image.pixels, and: try upright.oriented(.rightMirrored)))
        #expect(difference.mean < 2, "\(difference)")
    }

    @Test func aRotatedSequenceIsUpright() throws {
        let data = try FixtureManifest.named("frames-420.heics").data
        let plain = try #require(try decode(data).animation)
        // The matrix of the track: a quarter turn clockwise.
        let header = try #require(data.firstRange(of: Data("tkhd".utf8))).upperBound + 40
        var turned = data
        let one: [UInt8] = [0, 1, 0, 0]
        let minusOne: [UInt8] = [0xFF, 0xFF, 0, 0]
        for (offset, number) in [(0, [0, 0, 0, 0]), (4, one), (12, minusOne), (16, [0, 0, 0, 0])] {
            turned.replaceSubrange(header + offset..<header + offset + 4, with: number)
        }
        let image = try decode(turned)
        #expect(image.info.orientation == .right && image.size == plain.size.swapped)
        let animation = try #require(image.animation)
        for index in 0..<plain.frameCount {
            let expected = try plain.frame(at: index).oriented(.right)
            #expect(PixelDifference(between: try animation.frame(at: index), and: expected)?.maximum == 0)
        }
    }
}

extension Data {
    /// Returns the data with the byte after `pattern` changed to an orientation.
    fileprivate func saying(_ orientation: Orientation, after pattern: [UInt8]) throws -> Data {
        setting(try #require(firstRange(of: Data(pattern))).upperBound, UInt8(orientation.rawValue))
    }

    fileprivate func setting(_ offset: Int, _ byte: UInt8) -> Data {
        var changed = self
        changed[offset] = byte
        return changed
    }
}
