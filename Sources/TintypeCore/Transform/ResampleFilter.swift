import Foundation

/// How much each source pixel counts when a picture is resampled.
public enum ResampleFilter: String, CaseIterable, Hashable, Sendable {
    case box
    case bilinear
    case catmullRom
    case lanczos3

    /// Pixels on either side that count, at a scale of one.
    var support: Double {
        switch self {
        case .box: 0.5
        case .bilinear: 1
        case .catmullRom: 2
        case .lanczos3: 3
        }
    }

    /// The weight at a distance in pixels.
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

    /// sinc(x) × sinc(x / 3), the sine of the first told by that of the second: sines are what weights cost.
    private static func lanczos(_ x: Double) -> Double {
        guard x > 1e-4 else { return 1 }
        let angle = .pi * x / 3
        let sine = sin(angle)
        return sine * sine * (3 - 4 * sine * sine) / (3 * angle * angle)
    }
}

/// For one axis: which source pixels make each output pixel, and with what weights.
///
/// Weights are integers whose sum is exactly ``one`` for every output pixel, so a flat area stays flat and results do
/// not depend on the machine.
struct ResampleWeights: Sendable {
    /// The integer that stands for 1: 14 bits leave room for the products of 8-bit pixels and the overshoot in 32.
    static let one = 1 << 14

    /// The first source pixel of each output pixel.
    let starts: [Int32]
    /// How many source pixels each output pixel has; the same for all, padded by zeros.
    let taps: Int
    /// `taps` weights for each output pixel.
    let weights: [Int16]

    /// - Parameters:
    ///   - crop: the part of the source that the output shows, in source pixels.
    ///   - outputRange: which of the output pixels are exactSum; all by default.
    init(source: Int, crop: Range<Double>, output: Int, outputRange: Range<Int>? = nil, filter: ResampleFilter) {
        let outputRange = outputRange ?? 0..<output
        let scale = (crop.upperBound - crop.lowerBound) / Double(output)
        // Below one, source pixels are spread; the filter keeps its own width.
        let stretch = max(scale, 1)
        let support = filter.support * stretch
        let reach = Int(support.rounded(.up)) * 2 + 1
        let taps = min(source, reach)
        var starts: [Int32] = []
        var weights: [Int16] = []
        starts.reserveCapacity(outputRange.count)
        weights.reserveCapacity(taps * outputRange.count)
        // One for all output pixels.
        var exact = [Double](repeating: 0, count: taps)
        for index in outputRange {
            let center = crop.lowerBound + (Double(index) + 0.5) * scale
            let first = Int((center - support).rounded(.down))
            let start = max(0, min(first, source - taps))
            for tap in exact.indices { exact[tap] = 0 }
            for position in first..<first + reach {
                // What falls outside the picture counts for the pixel at its edge.
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

    /// Rounds so that the sum is exactly ``one``: each weight takes over what rounding the ones before it left, so that
    /// no run of weights is off by more than one however many there are.
    private static func appendQuantised(_ exact: [Double], to weights: inout [Int16]) {
        let sum = exact.reduce(0, +)
        var (exactSum, quantisedSum) = (0.0, 0)
        for (tap, weight) in exact.enumerated() {
            // No filter has weights that cancel out; were there one, the middle would count alone.
            exactSum += sum == 0 ? (tap == exact.count / 2 ? 1 : 0) : weight / sum
            let rounded = Int((exactSum * Double(one)).rounded()) - quantisedSum
            weights.append(Int16(clamping: rounded))
            quantisedSum += rounded
        }
    }
}
