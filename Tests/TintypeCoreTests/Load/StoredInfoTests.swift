import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct StoredInfoTests {
    private func info(durations: [Double] = [0.1, 0.25], received: Date? = Date(timeIntervalSince1970: 7.5)) throws
        -> StoredInfo
    {
        StoredInfo(
            Image(
                pixels: try .filled(Pixel(red: 0, green: 0, blue: 0)),
                info: ImageInfo(
                    format: .webp, size: PixelSize(width: 300, height: 200), orientation: .left, hasAlpha: true,
                    frameCount: 2, loopCount: 5, durations: durations), received: received))
    }

    @Test func encodedInfoDecodes() throws {
        for durations in [[], [0.1], [0.1, 0.2, 0.3]] {
            for received in [nil, Date(timeIntervalSince1970: 1_700_000_000.123456)] {
                let info = try info(durations: durations, received: received)
                #expect(StoredInfo(decoding: info.encoded) == info)
            }
        }
    }

    @Test func warningsAndDensityDecode() throws {
        for warnings in [[], [DamageWarning.smallCanvas], DamageWarning.allCases] {
            for density in [nil, PixelDensity(across: 72, down: 96)] {
                var info = try info()
                (info.info.warnings, info.info.density) = (warnings, density)
                #expect(StoredInfo(decoding: info.encoded) == info)
            }
        }
    }

    @Test func bitsAndTheRangeDecode() throws {
        for bits in [8, 10, 16, 32] {
            for isHighRange in [false, true] {
                for drawing in [nil, DrawingSize(width: 3.5, height: 7)] {
                    var info = try info()
                    (info.info.bitDepth, info.info.isHighRange, info.info.drawing) = (bits, isHighRange, drawing)
                    #expect(StoredInfo(decoding: info.encoded) == info)
                }
            }
        }
    }

    @Test func noPrefixDecodesAsOtherInfo() throws {
        let encoded = try info().encoded
        for count in 0..<encoded.count {
            let read = StoredInfo(decoding: encoded.prefix(count))
            // The durations come last, so a prefix may hold fewer of them.
            #expect(read == nil || read?.info.durations.count ?? 9 < 2)
        }
    }

    @Test func anyBytesAreInfoOrNil() throws {
        var random = SeededRandom.printed("any bytes")
        let encoded = try info().encoded
        for _ in 0..<5_000 {
            var bytes = encoded
            for _ in 0..<3 {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            if let read = StoredInfo(decoding: bytes) { #expect(read.info.size.area >= 0) }
        }
    }
}
