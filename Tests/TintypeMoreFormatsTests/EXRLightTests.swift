import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeEXR

/// Light of an OpenEXR beyond the range of sRGB.
@Suite(.enabled(if: Libraries.hasOpenEXR)) struct EXRLightTests {
    private static let light: [Float] = [0.1, 0.5, 1, 2, 4, 8, 0.25, -0.5]

    private func image(_ name: String, _ range: DecodeOptions.DynamicRange = .standard) throws -> Image {
        let fixture = try #require(FormatFixture.all.first { $0.name == name })
        return try fixture.decode(DecodeOptions(range: range))
    }

    @Test func theHighRangeHasTheNumbersOfTheFile() throws {
        let image = try image("bright.exr", .high)
        let light = try #require(image.highRange)
        for (x, value) in Self.light.enumerated() {
            let expected = Float(Float16(value))
            #expect(light[x, 0] == SIMD4(expected, expected, expected, 1))
        }
        #expect(image.info.isHighRange)
    }

    /// The curve keeps the order of lights, leaves dark ones as they are, and ends at white: that of Rec. ITU-R BT.2390
    /// for a peak of 1000 cd/m², as for PQ.
    @Test func brightLightIsToneMapped() throws {
        let pixels = try image("bright.exr").pixels
        let codes = (0..<8).map { Int(pixels[$0, 0].red) }
        #expect(codes[0] == 89, "0.1 is 89 in sRGB")
        #expect(codes[6] == 137, "0.25 is 137 in sRGB")
        #expect(codes[7] == 0 && codes[5] == 255)
        #expect(codes[1] < codes[2] && codes[2] < codes[3] && codes[3] < codes[4] && codes[4] <= codes[5])
        // Clipping would make all from 1 on white.
        #expect(codes[2] < 240 && codes[2] > 200)
    }

    @Test func lightUpToWhiteIsNotChanged() throws {
        #expect(try !image("float.exr").info.isHighRange)
    }

    @Test func aPartOfTheHighRangeIsCut() throws {
        let fixture = try #require(FormatFixture.all.first { $0.name == "bright.exr" })
        let part = PixelRect(x: 3, y: 1, size: PixelSize(width: 2, height: 2))
        let light = try #require(try fixture.decode(DecodeOptions(crop: part, range: .high)).highRange)
        #expect(light.size == part.size && light[0, 0].x == 2 && light[1, 1].x == 4)
    }

    /// Two subsampled channels beside luminance (the technical introduction of OpenEXR), written by hand without
    /// compression.
    @Test func colourDifferencesAreMixed() throws {
        let data = LuminanceEXR(width: 4, height: 4, luminance: 0.5, redDifference: 0.2, blueDifference: -0.4).data
        let light = try #require(
            try EXRDecoder().decode(data, context: DecodeContext(options: DecodeOptions(range: .high))).highRange)
        let (red, blue): (Float, Float) = (0.6, 0.3)
        let green = (0.5 - 0.2126 * red - 0.0722 * blue) / 0.7152
        for position in [(0, 0), (3, 0), (1, 1), (0, 3), (3, 3)] {
            let pixel = light[position.0, position.1]
            #expect(abs(pixel.x - red) < 0.002 && abs(pixel.y - green) < 0.002 && abs(pixel.z - blue) < 0.002)
        }
    }

    @Test(arguments: ["dwaa.exr", "dwab.exr"]) func aCompressionThatTheLibraryLacksIsRefused(_ name: String) throws {
        let data = try FormatFixture.data(name)
        #expect(try EXRDecoder().info(of: data, isComplete: true)?.size == PixelSize(width: 40, height: 35))
        let error = expectError(.undecodable) { try EXRDecoder().decode(data, context: DecodeContext()) }
        #expect(error?.message.contains("DWAA") == true)
    }

    @Test func aFileWithoutColoursIsRefused() {
        var file = LuminanceEXR(width: 4, height: 4, luminance: 0.5, redDifference: 0, blueDifference: 0)
        file.names = ["Z", "ZBack", "id"]
        let error = expectError(.undecodable) { try EXRDecoder().decode(file.data, context: DecodeContext()) }
        #expect(error?.message.contains("no flat image with channels of colours") == true)
    }
}

/// An uncompressed OpenEXR with luminance and two channels of a quarter of the samples (OpenEXR file layout).
private struct LuminanceEXR {
    var width: Int
    var height: Int
    var luminance: Float
    var redDifference: Float
    var blueDifference: Float
    /// The names of the channels, sorted.
    var names = ["BY", "RY", "Y"]

    var data: Data {
        var header = Data([0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0])
        let steps = [2, 2, 1]
        var channels = Data()
        for (name, step) in zip(names, steps) {
            channels += Data(name.utf8) + [0] + Self.word(1) + Data(count: 4) + Self.word(step) + Self.word(step)
        }
        let window = Self.word(0) + Self.word(0) + Self.word(width - 1) + Self.word(height - 1)
        header += Self.attribute("channels", "chlist", channels + [0])
        header += Self.attribute("compression", "compression", Data([0]))
        header += Self.attribute("dataWindow", "box2i", window)
        header += Self.attribute("displayWindow", "box2i", window)
        header += Self.attribute("lineOrder", "lineOrder", Data([0]))
        header += Self.attribute("pixelAspectRatio", "float", Self.word(Int(Float(1).bitPattern)))
        header += Self.attribute("screenWindowCenter", "v2f", Data(count: 8))
        header += Self.attribute("screenWindowWidth", "float", Self.word(Int(Float(1).bitPattern)))
        header += [0]
        var (offsets, lines) = (Data(), Data())
        for y in 0..<height {
            let start = header.count + height * 8 + lines.count
            offsets += Self.word(start) + Self.word(0)
            var line = Data()
            for (values, step) in zip([blueDifference, redDifference, luminance], steps) where y % step == 0 {
                let half = Float16(values).bitPattern
                for _ in 0..<width / step { line += [UInt8(half & 0xFF), UInt8(half >> 8)] }
            }
            lines += Self.word(y) + Self.word(line.count) + line
        }
        return header + offsets + lines
    }

    private static func word(_ value: Int) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    private static func attribute(_ name: String, _ type: String, _ value: Data) -> Data {
        Data(name.utf8) + [0] + Data(type.utf8) + [0] + word(value.count) + value
    }
}
