import CTintypeKernels
import Testing
import TintypeTesting

@testable import TintypeCore

/// Kernels work at any address and stride, and write nothing between rows.
@Suite struct KernelAlignmentTests {
    private static let (width, height) = (39, 39)

    /// The rows of a source to read and of a target to write. The target starts as a copy of the source.
    private struct Rows {
        let source: UnsafePointer<UInt8>
        let target: UnsafeMutablePointer<UInt8>
        /// The distance between rows in bytes, for both.
        let stride: Int
    }

    private typealias Loop = (tintype_kernels, Rows) -> Void

    private static func loops(_ random: inout SeededRandom) -> [(String, Loop)] {
        let matrix = (0..<20).map { _ in Float.random(in: -1...1, using: &random) }
        let coverage = KernelVariants.noise(width, &random)
        let (width, height) = (width, height)
        var loops: [(String, Loop)] = [
            ("premultiply", { $0.premultiply($1.target, $1.stride, width, height) }),
            ("unpremultiply", { $0.unpremultiply($1.source, $1.stride, $1.target, $1.stride, width, height) }),
            ("flatten", { $0.flatten($1.source, $1.stride, $1.target, $1.stride, width, height, [9, 99, 200, 255]) }),
            ("copy", { $0.copy($1.source, $1.stride, $1.target, $1.stride, width, height) }),
            ("swap", { $0.swap_red_and_blue($1.source, $1.stride, $1.target, $1.stride, width, height) }),
            ("matrix", { $0.color_matrix($1.target, $1.stride, width, height, matrix) }),
            ("cover", { $0.cover($1.target, coverage, width) }),
            ("sample", { $0.sample($1.source, $1.stride, width, height, $1.target, width, 999, 7777, 60_000, 20_000) }),
        ]
        for mode in [BlendMode.normal, .softLight, .hue, .xor, .plusDarker, .plusLighter] {
            loops.append(
                (
                    "\(mode)",
                    { kernels, rows in
                        kernels.blend(
                            rows.source, rows.stride, rows.target, rows.stride, width, height, Int32(mode.rawValue))
                    }
                ))
        }
        for orientation in Orientation.allCases {
            loops.append(
                (
                    "\(orientation)",
                    { kernels, rows in
                        kernels.orient(
                            rows.source, rows.stride, rows.target, rows.stride, width, height,
                            Int32(orientation.rawValue))
                    }
                ))
        }
        for axis in [Int32(0), 1] {
            loops.append(
                (
                    "blur \(axis)",
                    { kernels, rows in
                        var scratch = [UInt16](repeating: 0, count: 64 * max(width, height))
                        kernels.blur(
                            rows.source, rows.stride, rows.target, rows.stride, width, height, axis, 3, 1 / 7.5,
                            0.25 / 7.5,
                            &scratch)
                    }
                ))
        }
        return loops + [("sharpen", sharpen)]
    }

    private static func sharpen(_ kernels: tintype_kernels, _ rows: Rows) {
        kernels.sharpen(
            rows.source, rows.stride, rows.source + 4, rows.stride, rows.target, rows.stride, width - 1, height, 700, 3)
    }

    /// Returns the rows of the target, and whether the bytes around them are unchanged.
    private func run(
        _ loop: Loop, _ kernels: tintype_kernels, _ pixels: [UInt8], offset: Int, gap: Int
    ) -> (rows: [UInt8], isRestUntouched: Bool) {
        let length = 4 * Self.width
        let stride = length + gap
        var bytes = [UInt8](repeating: 0xA5, count: offset + stride * Self.height + 64)
        for y in 0..<Self.height {
            bytes.replaceSubrange(
                offset + y * stride..<offset + y * stride + length, with: pixels[y * length..<(y + 1) * length])
        }
        let source = bytes
        source.withUnsafeBufferPointer { source in
            bytes.withUnsafeMutableBufferPointer { target in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                loop(kernels, Rows(source: from + offset, target: to + offset, stride: stride))
            }
        }
        func isOfRow(_ index: Int) -> Bool {
            index >= offset && index < offset + stride * Self.height && (index - offset) % stride < length
        }
        let rows = bytes.indices.filter(isOfRow).map { bytes[$0] }
        return (rows, bytes.indices.allSatisfy { isOfRow($0) || bytes[$0] == 0xA5 })
    }

    @Test func oddAddressesAndStridesChangeNothing() {
        var random = SeededRandom.printed("alignment")
        let pixels = KernelVariants.premultiplied(4 * Self.width * Self.height, &random)
        for (name, loop) in Self.loops(&random) {
            for kernels in KernelVariants.all {
                let expected = run(loop, kernels, pixels, offset: 0, gap: 4)
                #expect(
                    expected.isRestUntouched && (expected.rows != pixels || ["copy", "up"].contains(name)), "\(name)")
                for (offset, gap) in [(1, 1), (2, 3), (3, 5), (7, 2)] {
                    let odd = run(loop, kernels, pixels, offset: offset, gap: gap)
                    #expect(odd.rows == expected.rows, "\(name), \(String(cString: kernels.name)), \(offset)")
                    #expect(odd.isRestUntouched, "\(name), \(String(cString: kernels.name)), \(offset)")
                }
            }
        }
    }

    @Test func resamplingReadsRowsAtAnyAddress() {
        var random = SeededRandom.printed("resample")
        let (count, taps) = (20, 9)
        let weights = (0..<count * taps).map { _ in Int16.random(in: -3000...9000, using: &random) }
        let starts = (0..<count).map { _ in Int32.random(in: 0...30, using: &random) }
        let pixels = KernelVariants.noise(4 * Self.width * 2, &random)
        for kernels in KernelVariants.all {
            func across(offset: Int, gap: Int) -> [Int16] {
                let length = 4 * Self.width
                let bytes =
                    [UInt8](repeating: 1, count: offset) + pixels[..<length] + [UInt8](repeating: 2, count: gap)
                    + pixels[length...]
                var target = [Int16](repeating: 0, count: 2 * 4 * count)
                bytes.withUnsafeBufferPointer { bytes in
                    guard let base = bytes.baseAddress else { return }
                    kernels.resample_across(
                        base + offset, length + gap, &target, 4 * count, 2, count, starts, weights, taps)
                }
                return target
            }
            for (offset, gap) in [(1, 1), (2, 3), (3, 6)] {
                #expect(across(offset: offset, gap: gap) == across(offset: 0, gap: 0))
            }
        }
    }
}
