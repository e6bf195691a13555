import Foundation

/// The interpolation filter of a resize.
public enum ResampleFilter: String, CaseIterable, Hashable, Sendable {
    /// Averages the covered pixels. The fastest.
    case box
    /// A triangle filter: linear interpolation.
    case bilinear
    /// Keys' cubic with a = -1/2: sharper than ``bilinear``.
    case catmullRom
    /// A windowed sinc over three lobes: the sharpest, and the default.
    case lanczos3

    /// The radius of the filter in pixels at scale 1.
    var support: Double {
        switch self {
        case .box: 0.5
        case .bilinear: 1
        case .catmullRom: 2
        case .lanczos3: 3
        }
    }

    /// Returns the weight at a distance in pixels.
    func weight(at distance: Double) -> Double {
        let x = abs(distance)
        return switch self {
        // Half open, so that a pixel on an edge counts for one side only.
        case .box: distance > -0.5 && distance <= 0.5 ? 1 : 0
        case .bilinear: max(0, 1 - x)
        case .catmullRom: Self.cubic(x)
        case .lanczos3: x < 3 ? Self.lanczos(x) : 0
        }
    }

    /// Keys' cubic with a = -1/2.
    private static func cubic(_ x: Double) -> Double {
        switch x {
        case ..<1: (1.5 * x - 2.5) * x * x + 1
        case ..<2: ((-0.5 * x + 2.5) * x - 4) * x + 2
        default: 0
        }
    }

    /// sinc(x) × sinc(x / 3), with the first sine expressed by the second: sines dominate the cost of the weights.
    private static func lanczos(_ x: Double) -> Double {
        guard x > 1e-4 else { return 1 }
        let angle = .pi * x / 3
        let sine = sin(angle)
        return sine * sine * (3 - 4 * sine * sine) / (3 * angle * angle)
    }
}

/// The weights for one axis: which source pixels make each output pixel, and how much each counts.
///
/// Weights are integers that sum to exactly ``one`` for every output pixel. A flat area therefore stays flat, and
/// results are the same on every machine.
struct ResampleWeights: Sendable {
    /// The integer that represents 1. With 14 bits, products with 8-bit pixels and the filter's overshoot fit into 32
    /// bits.
    static let one = 1 << 14

    /// The first source pixel of each output pixel.
    let starts: [Int32]
    /// The number of source pixels of each output pixel; the same for all, padded with zero weights.
    let taps: Int
    /// The weights, `taps` for each output pixel.
    let weights: [Int16]

    /// Computes the weights.
    ///
    /// - Parameters:
    ///   - source: The number of source pixels.
    ///   - crop: The range of the source that the output shows, in source pixels.
    ///   - output: The number of pixels of the whole output.
    ///   - outputRange: The output pixels that are produced; all by default.
    ///   - filter: The filter.
    init(source: Int, crop: Range<Double>, output: Int, outputRange: Range<Int>? = nil, filter: ResampleFilter) {
        let outputRange = outputRange ?? 0..<output
        let scale = (crop.upperBound - crop.lowerBound) / Double(output)
        // Below 1 the image is enlarged, and the filter keeps its own width.
        let stretch = max(scale, 1)
        let support = filter.support * stretch
        let reach = Int(support.rounded(.up)) * 2 + 1
        let taps = min(source, reach)
        var starts: [Int32] = []
        var weights: [Int16] = []
        starts.reserveCapacity(outputRange.count)
        weights.reserveCapacity(taps * outputRange.count)
        // Reused for all output pixels.
        var exact = [Double](repeating: 0, count: taps)
        for index in outputRange {
            let center = crop.lowerBound + (Double(index) + 0.5) * scale
            let first = Int((center - support).rounded(.down))
            let start = max(0, min(first, source - taps))
            for tap in exact.indices { exact[tap] = 0 }
            for position in first..<first + reach {
                // A position outside the image counts for the nearest pixel at its edge.
                let clamped = min(max(position, 0), source - 1)
                exact[clamped - start] += filter.weight(at: (Double(position) + 0.5 - center) / stretch)
            }
            Self.appendQuantised(exact, to: &weights)
            starts.append(Int32(start))
        }
        self.starts = starts
        self.taps = taps
        self.weights = weights
    }

    /// Appends rounded weights that sum to exactly ``one``.
    ///
    /// Each weight absorbs the rounding error of those before it, so any run of weights is off by at most one.
    private static func appendQuantised(_ exact: [Double], to weights: inout [Int16]) {
        let sum = exact.reduce(0, +)
        var (exactSum, quantisedSum) = (0.0, 0)
        for (tap, weight) in exact.enumerated() {
            // No filter has weights that cancel out. If one had, the middle pixel would count alone.
            exactSum += sum == 0 ? (tap == exact.count / 2 ? 1 : 0) : weight / sum
            let rounded = Int((exactSum * Double(one)).rounded()) - quantisedSum
            weights.append(Int16(clamping: rounded))
            quantisedSum += rounded
        }
    }
}
