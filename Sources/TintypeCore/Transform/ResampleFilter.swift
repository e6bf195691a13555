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
