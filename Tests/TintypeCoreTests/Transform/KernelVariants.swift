import CTintypeKernels
import TintypeTesting

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
