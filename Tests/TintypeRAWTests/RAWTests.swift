import Foundation
import Testing
import TintypeCore

@testable import TintypeRAW

/// Develops small DNGs. The tests that develop need LibRaw.
@Suite struct RAWTests {
    static let isInstalled = (try? RAWLibrary.standard.get()) != nil

    private static let size = PixelSize(width: 64, height: 48)

    private static func little(_ number: Int, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    private static func words(_ numbers: Int...) -> Data { numbers.reduce(Data()) { $0 + little($1, 2) } }
    private static func long(_ number: Int) -> Data { little(number, 4) }

    /// Numbers in ten-thousandths.
    private static func fractions(_ numbers: [Int]) -> Data {
        numbers.reduce(Data()) { $0 + little($1, 4) + little(10_000, 4) }
    }

    /// The samples of a sensor with a Bayer pattern: the left half is reddish, the right half bluish.
    private static var samples: Data {
        var data = Data()
        for y in 0..<size.height {
            for x in 0..<size.width {
                let channel = y % 2 + x % 2
                let level = channel == 1 ? 20_000 : (channel == 0) == (x < size.width / 2) ? 40_000 : 5_000
                data += little(level, 2)
            }
        }
        return data
    }

    /// Returns an uncompressed DNG 1.4 of one strip, which lies before the directory.
    private static func dng(orientation: Int = 1) -> Data {
        let samples = samples
        // Tag, type, number of values, values.
        let entries: [(Int, Int, Int, Data)] = [
            (254, 4, 1, long(0)), (256, 4, 1, long(size.width)), (257, 4, 1, long(size.height)),
            (258, 3, 1, words(16)), (259, 3, 1, words(1)), (262, 3, 1, words(32803)),
            (271, 2, 8, Data("Tintype\0".utf8)), (272, 2, 5, Data("Test\0\0".utf8)), (273, 4, 1, long(4096)),
            (274, 3, 1, words(orientation)), (277, 3, 1, words(1)), (278, 4, 1, long(size.height)),
            (279, 4, 1, long(samples.count)), (33421, 3, 2, words(2, 2)), (33422, 1, 4, Data([0, 1, 1, 2])),
            (50706, 1, 4, Data([1, 4, 0, 0])), (50707, 1, 4, Data([1, 1, 0, 0])),
            (50708, 2, 13, Data("Tintype Test\0\0".utf8)), (50717, 4, 1, long(65_535)),
            (50721, 10, 9, fractions([32_406, -15_372, -4_986, -9_689, 18_758, 415, 557, -2_040, 10_570])),
            (50728, 5, 3, fractions([10_000, 10_000, 10_000])), (50778, 3, 1, words(21)),
        ]
        var (directory, values) = (words(entries.count), Data())
        let start = 8 + 2 + 12 * entries.count + 4
        for (tag, type, count, data) in entries {
            directory += words(tag, type) + long(count)
            directory += data.count <= 4 ? data + Data(count: 4 - data.count) : long(start + values.count)
            if data.count > 4 { values += data }
        }
        let head = Data("II*\0".utf8) + long(8) + directory + long(0) + values
        return head + Data(count: 4096 - head.count) + samples
    }

    private func decode(_ data: Data, _ size: DecodeOptions.Size = .full) throws(TintypeError) -> Image {
        let coders = ImageCoderRegistry(decoders: [RAWDecoder()])
        return try coders.decoder(for: data).decode(data, context: DecodeContext(options: DecodeOptions(size: size)))
    }

    @Test(.enabled(if: isInstalled)) func aRawImageIsDeveloped() throws {
        let image = try decode(Self.dng())
        #expect(image.size == Self.size && image.info.format == .raw)
        let (left, right) = (image.pixels[10, 24], image.pixels[54, 24])
        #expect(left.red > left.blue &+ 60 && right.blue > right.red &+ 60 && left.alpha == 255)
    }

    @Test(.enabled(if: isInstalled)) func aRawImageIsUprightAndScaled() throws {
        let turned = try decode(Self.dng(orientation: 6))
        #expect(turned.size == PixelSize(width: 48, height: 64))
        #expect(turned.pixels[24, 10].red > turned.pixels[24, 10].blue)
        let small = try decode(Self.dng(), .fit(PixelSize(width: 16, height: 16)))
        #expect(small.size == PixelSize(width: 16, height: 12) && small.info.size == Self.size)
    }

    @Test(.enabled(if: isInstalled)) func aTruncatedOrDamagedRawImageIsAnError() {
        let data = Self.dng()
        for count in [0, 8, 100, 4000, 5000, data.count - 200] {
            let error = #expect(throws: TintypeError.self) {
                try RAWDecoder().decode(data.prefix(count), context: DecodeContext())
            }
            #expect(error?.code == .undecodable)
        }
    }

    @Test(.enabled(if: isInstalled)) func aRawImageIsWithinTheLimits() {
        for limits in [DecodeLimits(pixels: 1000), DecodeLimits(side: 50)] {
            let error = #expect(throws: TintypeError.self) {
                try RAWDecoder().decode(Self.dng(), context: DecodeContext(limits: limits))
            }
            #expect(error?.code == .limitExceeded)
        }
        var limits = DecodeLimits()
        limits.memoryBytes = Self.size.area * 20
        let error = #expect(throws: TintypeError.self) {
            try RAWDecoder().decode(Self.dng(), context: DecodeContext(limits: limits))
        }
        #expect(error?.limit == .memoryBytes)
    }

    @Test(.enabled(if: isInstalled)) func aCancelledDecodeEnds() {
        let error = #expect(throws: TintypeError.self) {
            try RAWDecoder().decode(Self.dng(), context: DecodeContext(isCancelled: { true }))
        }
        #expect(error?.code == .cancelled || error?.code == .undecodable)
    }

    @Test func aRawImageIsToldFromATIFF() {
        #expect(RAWSignature.matches(Self.dng()) && RAWSignature.matches(Self.dng().prefix(4096)))
        #expect(RAWSignature.matches(Data("FUJIFILMCCD-RAW 0201".utf8)) && RAWSignature.matches(Data("IIRO".utf8)))
        #expect(RAWSignature.matches(Data("II*\0\u{10}\0\0\0CR\u{2}\0".utf8)))
        for other in ["II*\0\u{8}\0\0\0", "MM\0*", "", "\u{0}\u{0}\u{0}\u{18}ftypheic"] {
            #expect(!RAWSignature.matches(Data(other.utf8)), "\(other)")
        }
    }

    @Test func aMissingLibraryIsNamed() {
        let error = #expect(throws: TintypeError.self) { try RAWLibrary.load(["libraw_r.so.0"]) }
        #expect(error?.code == .noCoder && error?.message.contains("LibRaw") == true)
    }
}
