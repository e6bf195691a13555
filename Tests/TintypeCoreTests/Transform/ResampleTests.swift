import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct ResampleTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    private func noise(_ size: PixelSize, _ random: inout SeededRandom) throws -> PixelBuffer {
        var generator = random
        defer { random = generator }
        return try .drawn(size) { _, _ in
            let alpha = UInt8.random(in: 0...255, using: &generator)
            func channel() -> UInt8 { UInt8.random(in: 0...alpha, using: &generator) }
            return Pixel(red: channel(), green: channel(), blue: channel(), alpha: alpha)
        }
    }

    @Test(arguments: ResampleFilter.allCases) func weightsSumToOne(_ filter: ResampleFilter) {
        for (source, output) in [(1, 1), (2, 1), (1, 5), (100, 3), (3, 100), (640, 320), (1000, 999)] {
            let weights = ResampleWeights(source: source, crop: 0..<Double(source), output: output, filter: filter)
            for index in 0..<output {
                let sum = weights.weights[index * weights.taps..<(index + 1) * weights.taps].reduce(0) { $0 + Int($1) }
                #expect(sum == ResampleWeights.one)
                #expect(weights.starts[index] >= 0 && Int(weights.starts[index]) + weights.taps <= source)
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases) func aFlatImageStaysFlat(_ filter: ResampleFilter) throws {
        let color = Pixel(red: 37, green: 101, blue: 5, alpha: 120)
        let image = try PixelBuffer.filled(color, size: size(53, 31))
        for target in [size(1, 1), size(7, 50), size(100, 3)] {
            let resampled = try image.resampled(to: target, filter: filter)
            #expect(PixelDifference(between: resampled, and: try .filled(color, size: target))?.maximum == 0)
        }
    }

    @Test(arguments: ResampleFilter.allCases) func agreesWithAFloatReferenceWithinTwo(_ filter: ResampleFilter) throws {
        var random = SeededRandom.printed("resample")
        for (from, to) in [(size(40, 30), size(13, 11)), (size(9, 9), size(20, 31)), (size(64, 5), size(3, 5))] {
            let image = try noise(from, &random)
            let resampled = try image.resampled(to: to, filter: filter)
            #expect(try #require(PixelDifference(between: resampled, and: reference(image, to, filter))).maximum <= 2)
        }
    }

    /// At large ratios, where weights are coarse, one odd pixel or noise must not count for more than its share.
    @Test(arguments: ResampleFilter.allCases, [(200, 1), (700, 3), (4000, 21), (6000, 1), (20_000, 3)])
    func agreesWithAFloatReferenceAtLargeRatios(_ filter: ResampleFilter, _ sides: (Int, Int)) throws {
        var random = SeededRandom.printed("large ratio")
        let level = Pixel(red: 128, green: 128, blue: 200)
        let odd = Pixel(red: 255, green: 0, blue: 0)
        let (from, to) = sides
        let across = size(from, 1)
        let images = try [
            PixelBuffer.drawn(across) { x, _ in x == from - 1 ? odd : level },
            PixelBuffer.drawn(across) { x, _ in x == 0 ? odd : level },
            PixelBuffer.drawn(across) { x, _ in x < from / 3 ? odd : level }, noise(across, &random),
        ]
        for image in images {
            let (wide, tall) = (size(to, 1), size(1, to))
            let expected = try reference(image, wide, filter)
            let resampled = try image.resampled(to: wide, filter: filter)
            #expect(try #require(PixelDifference(between: resampled, and: expected)).maximum <= 2)
            let turned = try image.oriented(.right).resampled(to: tall, filter: filter)
            #expect(try #require(PixelDifference(between: turned, and: expected.oriented(.right))).maximum <= 2)
        }
    }

    @Test(arguments: ResampleFilter.allCases) func pixelsOutsideTheCropHaveNoInfluence(_ filter: ResampleFilter) throws
    {
        var random = SeededRandom.printed("crop")
        let image = try noise(size(90, 1500), &random)
        for rect in [PixelRect(x: 7, y: 3, size: size(50, 40)), PixelRect(x: 30, y: 90, size: size(60, 1410))] {
            for to in [size(10, 8), size(3, 1), size(80, 60)] {
                let cut = try image.cropped(to: rect).resampled(to: to, filter: filter)
                let resampled = try image.resampled(crop: rect, to: to, filter: filter)
                #expect(PixelDifference(between: cut, and: resampled)?.maximum == 0)
            }
        }
    }

    @Test func aPartOfTheOutputMatchesTheWholeOutput() throws {
        var random = SeededRandom.printed("kept")
        let image = try noise(size(60, 50), &random)
        for to in [size(20, 30), size(100, 7)] {
            let rect = PixelRect(x: 5, y: 3, size: size(9, 4))
            let whole = try image.resampled(to: to, filter: .lanczos3)
            let part = try image.resampled(to: to, outputRect: rect, filter: .lanczos3)
            #expect(try PixelDifference(between: part, and: whole.cropped(to: rect))?.maximum == 0)
        }
    }

    @Test func lanczosIsTheProductOfTwoSincs() {
        func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
        for step in -4000...4000 {
            let x = Double(step) / 1000
            let expected = abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0
            #expect(abs(ResampleFilter.lanczos3.weight(at: x) - expected) < 1e-7)
        }
    }

    @Test func colorNeverExceedsAlpha() throws {
        var random = SeededRandom.printed("premultiplied")
        let resampled = try noise(size(80, 60), &random).resampled(to: size(33, 71), filter: .lanczos3)
        for y in 0..<71 {
            for x in 0..<33 {
                let pixel = resampled[x, y]
                #expect(max(pixel.red, pixel.green, pixel.blue) <= pixel.alpha)
            }
        }
    }

    @Test func everySmallSizeIsResampledExactly() throws {
        for width in 1...6 {
            for height in 1...6 {
                let grey = Pixel(red: 9, green: 9, blue: 9)
                let image = try PixelBuffer.filled(grey, size: size(width, height))
                for target in [size(1, 1), size(6, 6), size(1, 9)] {
                    let resampled = try image.resampled(to: target, filter: .lanczos3)
                    #expect(PixelDifference(between: resampled, and: try .filled(grey, size: target))?.maximum == 0)
                }
            }
        }
    }

    /// A reference: direct sums in double precision with clamped edges.
    private func reference(_ image: PixelBuffer, _ to: PixelSize, _ filter: ResampleFilter) throws -> PixelBuffer {
        let across = weights(image.size.width, to.width, filter)
        let down = weights(image.size.height, to.height, filter)
        return try .drawn(to) { x, y in
            var sums = [0.0, 0, 0, 0]
            for (row, rowWeight) in down[y] {
                for (column, columnWeight) in across[x] {
                    let pixel = image[column, row]
                    let channels = [pixel.red, pixel.green, pixel.blue, pixel.alpha]
                    for index in 0..<4 { sums[index] += Double(channels[index]) * rowWeight * columnWeight }
                }
            }
            let alpha = min(max(sums[3].rounded(), 0), 255)
            func channel(_ index: Int) -> UInt8 { UInt8(min(max(sums[index].rounded(), 0), alpha)) }
            return Pixel(red: channel(0), green: channel(1), blue: channel(2), alpha: UInt8(alpha))
        }
    }

    private func weights(_ source: Int, _ output: Int, _ filter: ResampleFilter) -> [[(Int, Double)]] {
        let scale = Double(source) / Double(output)
        let stretch = max(scale, 1)
        return (0..<output).map { index in
            let center = (Double(index) + 0.5) * scale
            let reach = Int((filter.support * stretch).rounded(.up)) + 1
            let all = (Int(center) - reach...Int(center) + reach).map {
                (min(max($0, 0), source - 1), filter.weight(at: (Double($0) + 0.5 - center) / stretch))
            }
            let sum = all.reduce(0) { $0 + $1.1 }
            return all.filter { abs($0.1) > 1e-12 }.map { ($0.0, $0.1 / sum) }
        }
    }
}
