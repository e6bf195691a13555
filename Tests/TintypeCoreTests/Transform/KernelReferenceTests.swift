import CTintypeKernels
import Testing
import TintypeTesting

@testable import TintypeCore

/// Compares every kernel variant with a reference: exactly for integer kernels, within one step for floating point.
///
/// Variants are one source compiled several times, so comparing them with each other finds no wrong formula.
/// ``KernelVariantTests`` covers premultiplication, averages, copies and depths, ``BlendTests`` the blend modes,
/// ``LookTests`` the blur.
@Suite struct KernelReferenceTests {
    private let width = 67

    /// Returns value × scale / 255, rounded to nearest.
    private func scaled(_ value: UInt8, _ scale: UInt8) -> UInt8 { UInt8((Int(value) * Int(scale) * 2 + 255) / 510) }

    private func expectWithinOne(_ result: [UInt8], _ expected: [Double], _ name: String) {
        let worst = zip(result, expected).map { abs(Double($0) - $1) }.max() ?? 0
        #expect(result.count == expected.count && worst <= 1, "\(name): \(worst)")
    }

    @Test func flatteningFillsTheTransparencyWithTheBackground() {
        var random = SeededRandom.printed("flatten")
        let source = KernelVariants.premultiplied(4 * width, &random)
        for background in [[255, 255, 255, 255], [10, 200, 90, 255], [30, 0, 90, 100]] as [[UInt8]] {
            let expected = source.indices.map { index in
                source[index] + scaled(background[index % 4], 255 - source[index / 4 * 4 + 3])
            }
            for kernels in KernelVariants.all {
                var (target, own) = ([UInt8](repeating: 0, count: source.count), source)
                kernels.flatten(source, source.count, &target, source.count, width, 1, background)
                own.withUnsafeMutableBufferPointer { own in
                    kernels.flatten(own.baseAddress, own.count, own.baseAddress, own.count, width, 1, background)
                }
                #expect(target == expected && own == expected)
            }
        }
    }

    @Test func coveringScalesEveryChannel() {
        var random = SeededRandom.printed("cover")
        let source = KernelVariants.premultiplied(4 * 256, &random)
        let coverage = (0...255).map { UInt8($0) }
        for kernels in KernelVariants.all {
            var covered = source
            kernels.cover(&covered, coverage, 256)
            #expect(covered == source.indices.map { scaled(source[$0], coverage[$0 / 4]) })
        }
    }

    @Test func normalBlendFollowsItsFormula() {
        var random = SeededRandom.printed("over")
        let source = KernelVariants.premultiplied(4 * width, &random)
        let backdrop = KernelVariants.premultiplied(4 * width, &random)
        let expected = source.indices.map { source[$0] + scaled(backdrop[$0], 255 - source[$0 / 4 * 4 + 3]) }
        for kernels in KernelVariants.all {
            var target = backdrop
            kernels.blend(source, source.count, &target, target.count, width, 1, Int32(BlendMode.normal.rawValue))
            #expect(target == expected)
        }
    }

    @Test func redAndBlueAreSwapped() {
        var random = SeededRandom.printed("swap")
        let source = KernelVariants.noise(4 * width, &random)
        let expected = source.indices.map { source[$0 / 4 * 4 + [2, 1, 0, 3][$0 % 4]] }
        for kernels in KernelVariants.all {
            var target = [UInt8](repeating: 0, count: source.count)
            kernels.swap_red_and_blue(source, source.count, &target, source.count, width, 1)
            #expect(target == expected)
        }
    }

    @Test func aMatrixSumsNonPremultipliedChannels() {
        var random = SeededRandom.printed("matrix")
        let source = KernelVariants.premultiplied(4 * width, &random)
        for _ in 0..<20 {
            let matrix = (0..<20).map { _ in Float.random(in: -1.5...1.5, using: &random) }
            let expected = stride(from: 0, to: source.count, by: 4).flatMap {
                mixed(Array(source[$0..<$0 + 4]), matrix)
            }
            for kernels in KernelVariants.all {
                var result = source
                kernels.color_matrix(&result, source.count, width, 1, matrix)
                expectWithinOne(result, expected, String(cString: kernels.name))
            }
        }
    }

    private func mixed(_ pixel: [UInt8], _ matrix: [Float]) -> [Double] {
        let alpha = Double(pixel[3]) / 255
        let straight = pixel[..<3].map { alpha > 0 ? Double($0) / 255 / alpha : 0 } + [alpha, 1]
        let sums = (0..<4).map { row in
            min(max(zip(straight, matrix[5 * row..<5 * row + 5]).reduce(0) { $0 + $1.0 * Double($1.1) }, 0), 1)
        }
        return sums[..<3].map { $0 * sums[3] * 255 } + [sums[3] * 255]
    }

    @Test func samplingInterpolatesTheFourNeighbours() {
        var random = SeededRandom.printed("sample")
        let side = 12
        let source = KernelVariants.premultiplied(4 * side * side, &random)
        func channel(_ x: Int, _ y: Int, _ c: Int) -> Double {
            (0..<side).contains(x) && (0..<side).contains(y) ? Double(source[4 * (y * side + x) + c]) : 0
        }
        func mixed(_ x: Double, _ y: Double, _ c: Int) -> Double {
            let (left, top) = (x.rounded(.down), y.rounded(.down))
            let (column, row) = (Int(left), Int(top))
            let upper = channel(column, row, c) * (left + 1 - x) + channel(column + 1, row, c) * (x - left)
            let lower = channel(column, row + 1, c) * (left + 1 - x) + channel(column + 1, row + 1, c) * (x - left)
            return upper * (top + 1 - y) + lower * (y - top)
        }
        for _ in 0..<100 {
            let start = (0..<2).map { _ in Double.random(in: -3...14, using: &random) }
            let step = (0..<2).map { _ in Double.random(in: -1...1, using: &random) }
            let (from, next) = (start.map { Int64($0 * 65536) }, step.map { Int64($0 * 65536) })
            let expected = (0..<20).flatMap { n in
                (0..<4).map { c in
                    let point = (0..<2).map { Double(from[$0] + Int64(n) * next[$0]) / 65536 }
                    // The kernel has 256 positions between two pixels.
                    return mixed((point[0] * 256).rounded(.down) / 256, (point[1] * 256).rounded(.down) / 256, c)
                }
            }
            for kernels in KernelVariants.all {
                var line = [UInt8](repeating: 0, count: 80)
                kernels.sample(source, 4 * side, side, side, &line, 20, from[0], from[1], next[0], next[1])
                expectWithinOne(line, expected, String(cString: kernels.name))
            }
        }
    }

    @Test func horizontalResamplingIsWeightedSums() {
        var random = SeededRandom.printed("across")
        let source = KernelVariants.noise(4 * 90 * 2, &random)
        for taps in [1, 2, 3, 4, 7, 16, 33] {
            let weights = (0..<20 * taps).map { _ in Int16.random(in: -9000...16384, using: &random) }
            let starts = (0..<20).map { _ in Int32.random(in: 0...Int32(90 - taps), using: &random) }
            let expected = (0..<2 * 80).map { index -> Int16 in
                let (row, x, c) = (index / 80, index % 80 / 4, index % 4)
                let sum = (0..<taps).reduce(128) { sum, tap in
                    sum + Int(source[360 * row + 4 * (Int(starts[x]) + tap) + c]) * Int(weights[x * taps + tap])
                }
                return Int16(clamping: sum >> 8)
            }
            for kernels in KernelVariants.all {
                var target = [Int16](repeating: 0, count: expected.count)
                kernels.resample_across(source, 360, &target, 80, 2, 20, starts, weights, taps)
                #expect(target == expected, "\(String(cString: kernels.name)), \(taps) taps")
            }
        }
    }

    @Test func verticalResamplingIsWeightedSumsClampedToAlpha() {
        var random = SeededRandom.printed("down")
        let (rows, length) = (7, 4 * width)
        let ring = (0..<rows * length).map { _ in Int16.random(in: -2000...18_000, using: &random) }
        for (first, taps) in [(0, 1), (3, 4), (6, 5), (2, 7)] {
            let weights = (0..<taps).map { _ in Int16.random(in: -3000...9000, using: &random) }
            let sums = (0..<length).map { channel -> Int in
                let sum = (0..<taps).reduce(1 << 19) { sum, tap in
                    sum + Int(ring[(first + tap) % rows * length + channel]) * Int(weights[tap])
                }
                return min(max(sum >> 20, 0), 255)
            }
            let expected = sums.indices.map { UInt8(min(sums[$0], sums[$0 / 4 * 4 + 3])) }
            for kernels in KernelVariants.all {
                var target = [UInt8](repeating: 0, count: length)
                kernels.resample_down(ring, length, rows, first, taps, weights, &target, width)
                #expect(target == expected, "\(String(cString: kernels.name)), from \(first), \(taps) taps")
            }
        }
    }

    /// Exif 2.32, 4.6.4: the stored position of each displayed pixel.
    @Test(arguments: Orientation.allCases) func orientingFollowsExif(_ orientation: Orientation) {
        let (across, down) = (37, 70)
        let source = (0..<across * down).flatMap { number -> [UInt8] in
            [UInt8(number & 255), UInt8(number >> 8), 0, 255]
        }
        let size = orientation.displayed(PixelSize(width: across, height: down))
        func stored(_ x: Int, _ y: Int) -> (Int, Int) {
            switch orientation {
            case .up: (x, y)
            case .upMirrored: (across - 1 - x, y)
            case .down: (across - 1 - x, down - 1 - y)
            case .downMirrored: (x, down - 1 - y)
            case .leftMirrored: (y, x)
            case .right: (y, down - 1 - x)
            case .rightMirrored: (across - 1 - y, down - 1 - x)
            case .left: (across - 1 - y, x)
            }
        }
        let expected = (0..<size.area).flatMap { index -> [UInt8] in
            let point = stored(index % size.width, index / size.width)
            let start = 4 * (point.1 * across + point.0)
            return Array(source[start..<start + 4])
        }
        for kernels in KernelVariants.all {
            var target = [UInt8](repeating: 0, count: source.count)
            kernels.orient(source, 4 * across, &target, 4 * size.width, across, down, Int32(orientation.rawValue))
            #expect(target == expected)
        }
    }
}
