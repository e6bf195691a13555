import CTintypeKernels
import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

/// All variants of all kernels agree with plain C at every size, and plain C agrees with the formula.
@Suite struct KernelVariantTests {
    /// Runs `body` with plain C and each other variant, for widths around the vector sizes.
    private func compare<Result: Equatable>(
        _ body: (tintype_kernels, _ width: Int) -> Result, widths: [Int] = Array(1...35) + [63, 64, 65, 200]
    ) throws {
        let plain = try #require(KernelVariants.all.first)
        for width in widths {
            let expected = body(plain, width)
            for kernels in KernelVariants.all.dropFirst() {
                #expect(body(kernels, width) == expected, "\(String(cString: kernels.name)), width \(width)")
            }
        }
    }

    @Test func theChosenVariantIsTheLastOfTheList() throws {
        let chosen = String(cString: tintype_kernels_current().pointee.name)
        #expect(KernelVariants.names.last == chosen)
    }

    /// Otherwise plain C might only be compared with itself.
    @Test func everyVariantOfThisMachineIsCompared() throws {
        #if os(Linux) && arch(x86_64)
        let machine = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let flags = machine.split(separator: "\n").first { $0.hasPrefix("flags") }?.split(separator: " ") ?? []
        #expect(!flags.isEmpty)
        let wide = [("sse4_1", "sse41"), ("avx2", "avx2")].filter { flags.contains(Substring($0.0)) }.map(\.1)
        #expect(KernelVariants.names == ["plain"] + wide)
        #elseif arch(arm64)
        #expect(KernelVariants.names == ["plain", "neon"])
        #else
        #expect(KernelVariants.names.first == "plain")
        #endif
    }

    @Test func premultiplyingEveryValueRoundsToNearest() throws {
        for kernels in KernelVariants.all {
            for alpha in UInt8.min...UInt8.max {
                var pixels = (UInt8.min...UInt8.max).flatMap { [$0, 0, 255, alpha] as [UInt8] }
                kernels.premultiply(&pixels, pixels.count, 256, 1)
                let expected = (UInt8.min...UInt8.max).flatMap { value -> [UInt8] in
                    [UInt8((Int(value) * Int(alpha) * 2 + 255) / 510), 0, alpha, alpha]
                }
                #expect(pixels == expected)
            }
        }
    }

    @Test func unpremultiplyingEveryValueRoundsToNearest() throws {
        for kernels in KernelVariants.all {
            var clear: [UInt8] = [0, 0, 0, 0, 9, 9, 9, 0]
            kernels.unpremultiply(clear, 8, &clear, 8, 2, 1)
            #expect(clear.allSatisfy { $0 == 0 })
            for alpha in 1...UInt8.max {
                let pixels = (UInt8.min...UInt8.max).flatMap { [$0, 0, 0, alpha] as [UInt8] }
                var straight = pixels
                kernels.unpremultiply(pixels, pixels.count, &straight, pixels.count, 256, 1)
                let expected = (0...255).map { UInt8(min(255, ($0 * 255 + Int(alpha) / 2) / Int(alpha))) }
                #expect(stride(from: 0, to: 1024, by: 4).map { straight[$0] } == expected)
            }
        }
    }

    @Test func alphaAgreesAtEveryWidth() throws {
        var random = SeededRandom.printed("alpha")
        let source = KernelVariants.noise(4 * 200 * 3, &random)
        try compare { kernels, width in
            var (multiplied, divided, flat) = (source, source, source)
            kernels.premultiply(&multiplied, 800, width, 3)
            kernels.unpremultiply(source, 800, &divided, 800, width, 3)
            kernels.flatten(multiplied, 800, &flat, 800, width, 3, [10, 200, 90, 255])
            return [multiplied, divided, flat]
        }
    }

    @Test func horizontalResamplingAgreesForAllTapsAndRows() throws {
        var random = SeededRandom.printed("across")
        let source = KernelVariants.noise(4 * 300 * 3, &random)
        let weights = (0..<200 * 40).map { _ in Int16.random(in: -9000...16384, using: &random) }
        let starts = (0..<200).map { _ in Int32.random(in: 0...260, using: &random) }
        for (taps, rows) in (1...40).flatMap({ taps in (1...3).map { (taps, $0) } }) {
            try compare(
                { kernels, width in
                    var target = [Int16](repeating: 0, count: 3 * 4 * width)
                    kernels.resample_across(source, 1200, &target, 4 * width, rows, width, starts, weights, taps)
                    return target
                }, widths: [1, 2, 9])
        }
    }

    @Test func verticalResamplingAgreesAtEveryWidth() throws {
        var random = SeededRandom.printed("down")
        let ring = (0..<800 * 9).map { _ in Int16.random(in: .min ... .max, using: &random) }
        let weights = (0..<8).map { _ in Int16.random(in: -3000...3000, using: &random) }
        for first in 0..<9 {
            try compare { kernels, width in
                var target = [UInt8](repeating: 0, count: 4 * width)
                kernels.resample_down(ring, 800, 9, first, 8, weights, &target, width)
                return target
            }
        }
    }

    @Test func blocksAreAveragedToNearest() throws {
        var random = SeededRandom.printed("blocks")
        let source = KernelVariants.noise(4 * 200, &random)
        for kernels in KernelVariants.all {
            for (width, factor) in [(1, 1), (1, 5), (9, 3), (10, 3), (200, 7), (200, 200), (199, 300)] {
                let count = 4 * ((width + factor - 1) / factor + 2)
                var sums = [UInt64](repeating: 0, count: count)
                var averages = [UInt8](repeating: 0, count: count)
                kernels.add_blocks(source, width, factor, 1, 3, &sums)
                kernels.average_blocks(&sums, UInt64(3 * factor), &averages, count)
                let expected = (0..<count).map { index -> UInt8 in
                    // The first and the last block consist of the edge pixel.
                    let first = index / 4 * factor - factor
                    let indices = (0..<factor).map {
                        index < 4 ? 0 : min(index < count - 4 ? first + $0 : width, width - 1)
                    }
                    let sum = indices.reduce(0) { $0 + Int(source[4 * $1 + index % 4]) }
                    return UInt8((sum + factor / 2) / factor)
                }
                #expect(averages == expected && sums.allSatisfy { $0 == 0 })
            }
        }
    }

    @Test func copyingCopiesEveryPixelAndNoMore() throws {
        var random = SeededRandom.printed("copy")
        let source = KernelVariants.noise(4 * 200 * 3, &random)
        for kernels in KernelVariants.all {
            var target = [UInt8](repeating: 7, count: source.count)
            kernels.copy(source, 800, &target, 800, 9, 2)
            let expected = source.indices.map { $0 / 800 < 2 && $0 % 800 < 36 ? source[$0] : 7 }
            #expect(target == expected)
        }
    }

    @Test(arguments: 1...8) func orientingAgreesAtEverySize(_ orientation: Int32) throws {
        var random = SeededRandom.printed("turn")
        let source = KernelVariants.noise(4 * 200 * 7, &random)
        try compare { kernels, width in
            var target = [UInt8](repeating: 0, count: 4 * 200 * 200)
            kernels.orient(source, 800, &target, 800, width, 7, orientation)
            return target
        }
    }

    @Test(arguments: BlendMode.allCases) func blendingAgrees(_ mode: BlendMode) throws {
        var random = SeededRandom.printed("blend")
        let source = KernelVariants.premultiplied(4 * 200 * 2, &random)
        let backdrop = KernelVariants.premultiplied(4 * 200 * 2, &random)
        try compare(
            { kernels, width in
                var target = backdrop
                kernels.blend(source, 800, &target, 800, width, 2, Int32(mode.rawValue))
                return target
            }, widths: [1, 2, 3, 4, 5, 7, 8, 9, 200])
    }

    @Test(arguments: [(0, 0.2), (1, 0), (5, 0.9), (300, 0.3)]) func blurringAgrees(_ reach: Int, _ part: Double) throws
    {
        var random = SeededRandom.printed("blur")
        let source = KernelVariants.noise(4 * 200 * 21, &random)
        let sum = 2 * (Double(reach) + part) + 1
        try compare { kernels, width in
            var (target, scratch) = (source, [UInt16](repeating: 0, count: 64 * 200))
            for axis in [Int32(0), 1] {
                kernels.blur(
                    target, 800, &target, 800, width, 21, axis, reach, Float(1 / sum), Float(part / sum), &scratch)
            }
            return target
        }
    }

    @Test func colorKernelsAgree() throws {
        var random = SeededRandom.printed("colour")
        let source = KernelVariants.premultiplied(4 * 200, &random)
        let matrix = (0..<20).map { _ in Float.random(in: -2...2, using: &random) }
        let (coverage, noise) = (KernelVariants.noise(200, &random), KernelVariants.noise(800, &random))
        try compare { kernels, width in
            var (mixed, covered, swapped, sharpened) = (source, source, source, source)
            kernels.color_matrix(&mixed, 800, width, 1, matrix)
            kernels.cover(&covered, coverage, width)
            kernels.swap_red_and_blue(source, 800, &swapped, 800, width, 1)
            kernels.sharpen(source, 800, noise, 800, &sharpened, 800, width, 1, 517, 9)
            return [mixed, covered, swapped, sharpened]
        }
    }

    @Test func samplingAgrees() throws {
        var random = SeededRandom.printed("sample")
        let source = KernelVariants.premultiplied(4 * 20 * 20, &random)
        for _ in 0..<50 {
            let start = (0..<4).map { _ in Int64.random(in: -200_000...1_400_000, using: &random) }
            try compare(
                { kernels, width in
                    var target = [UInt8](repeating: 0, count: 4 * width)
                    kernels.sample(source, 80, 20, 20, &target, width, start[0], start[1], start[2] / 8, start[3] / 8)
                    return target
                }, widths: [1, 2, 30])
        }
    }

    @Test func depthConversionsRoundToNearest() throws {
        let words = Array(UInt16.min...UInt16.max)
        let floats: [Float] = [-.infinity, -1, 0, 0.001, 0.002, 0.5, 1, 2, .infinity, .nan]
        for kernels in KernelVariants.all {
            var bytes = [UInt8](repeating: 0, count: words.count)
            kernels.narrow_words(words, &bytes, words.count)
            #expect(bytes == words.map { UInt8((Int($0) * 255 * 2 + 65535) / 131_070) })
            var wide = [UInt16](repeating: 0, count: 256)
            kernels.widen_bytes(Array(UInt8.min...UInt8.max), &wide, 256)
            #expect(wide == (0...255).map { $0 * 257 })
            var narrow = [UInt8](repeating: 9, count: floats.count)
            kernels.narrow_floats(floats, &narrow, floats.count)
            #expect(narrow == [0, 0, 0, 0, 1, 128, 255, 255, 255, 0])
            let all = Array(UInt8.min...UInt8.max)
            var (back, again) = ([Float](repeating: 0, count: 256), [UInt8](repeating: 0, count: 256))
            kernels.floats_of_bytes(all, &back, 256)
            #expect(back == all.map { Float($0) / 255 })
            kernels.narrow_floats(back, &again, 256)
            #expect(again == all)
        }
    }
}

/// The kernels to compare, and pixels to compare them with.
enum KernelVariants {
    /// The variants that this machine can run, plain C first.
    static var all: [tintype_kernels] {
        var found: [tintype_kernels] = []
        while let kernels = tintype_kernels_at(found.count) { found.append(kernels.pointee) }
        return found
    }

    static var names: [String] { all.map { String(cString: $0.name) } }

    static func noise(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    static func premultiplied(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        (0..<count / 4).flatMap { _ -> [UInt8] in
            let alpha = UInt8.random(in: 0...255, using: &random)
            return (0..<3).map { _ in UInt8.random(in: 0...alpha, using: &random) } + [alpha]
        }
    }
}
