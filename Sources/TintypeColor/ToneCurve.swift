import Foundation

/// A tone curve from a bright display to reference white: the EETF of Rec. ITU-R BT.2390-11, 5.4.1.
///
/// Dark light stays as it is. Above a knee, a Hermite spline over PQ codes bends towards the target. The curve is
/// applied to the brightest channel and scales the others with it, which keeps hues and the detail of highlights.
struct ToneCurve: Equatable, Sendable {
    /// The brightest light of the source and of the target, as PQ codes.
    private let peak: Double
    private let target: Double

    /// - Parameters:
    ///   - peak: The brightest light of the source in cd/m².
    ///   - target: The light in cd/m² that `peak` is mapped to.
    init(peak: Double, target: Double = HighRangeTransfer.referenceWhite) {
        self.peak = HighRangeTransfer.pqCode(min(max(peak, target), 10_000))
        self.target = HighRangeTransfer.pqCode(target)
    }

    /// Returns the light in cd/m² that `light`, in cd/m², is mapped to. Light above the peak counts as the peak.
    func map(_ light: Double) -> Double {
        let code = min(HighRangeTransfer.pqCode(light), peak) / peak
        let top = target / peak
        let knee = 1.5 * top - 0.5
        guard code > knee, top < 1 else { return HighRangeTransfer.pqLight(code * peak) }
        let t = (code - knee) / (1 - knee)
        let (t2, t3) = (t * t, t * t * t)
        let mappedCode =
            (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * top
        return HighRangeTransfer.pqLight(mappedCode * peak)
    }

    /// Returns ``steps`` + 1 factors by which to multiply light. Factor `i` is for `brightest · (i / steps)²` times
    /// reference white.
    func scales() -> [Float] {
        let white = HighRangeTransfer.referenceWhite
        return (0...Self.steps).map { step in
            let root = Double(max(step, 1)) / Double(Self.steps)
            let light = Double(Self.brightest) * root * root * white
            return Float(map(light) / light)
        }
    }

    /// The number of intervals of ``scales()``.
    static let steps = 4096
    /// The brightest light of PQ, in multiples of reference white.
    static let brightest = Float(10_000 / HighRangeTransfer.referenceWhite)
}
