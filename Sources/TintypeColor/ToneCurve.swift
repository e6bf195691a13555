/// Brings the light of a bright display to that of white paper: the EETF of Rec. ITU-R BT.2390-11, 5.4.1.
///
/// What is dark stays as it is; from a knee on a Hermite spline over PQ codes bends towards the target. It is applied to
/// the brightest channel, and scales the others with it: hues stay, highlights keep their drawing.
struct ToneCurve: Equatable, Sendable {
    /// The brightest of the source and of the target, as PQ codes.
    private let peak: Double
    private let target: Double

    /// - Parameters:
    ///   - peak: the brightest light of the source, cd/m².
    ///   - target: what that becomes.
    init(peak: Double, target: Double = HighRangeTransfer.referenceWhite) {
        self.peak = HighRangeTransfer.pqCode(min(max(peak, target), 10_000))
        self.target = HighRangeTransfer.pqCode(target)
    }

    /// - Returns: cd/m² of `light` cd/m²; what is brighter than the peak counts as the peak.
    func mapped(_ light: Double) -> Double {
        let code = min(HighRangeTransfer.pqCode(light), peak) / peak
        let top = target / peak
        let knee = 1.5 * top - 0.5
        guard code > knee, top < 1 else { return HighRangeTransfer.pqLight(code * peak) }
        let t = (code - knee) / (1 - knee)
        let (t2, t3) = (t * t, t * t * t)
        let bent =
            (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * top
        return HighRangeTransfer.pqLight(bent * peak)
    }

    /// What light is to be multiplied by, at ``steps`` + 1 places: place `i` is for `brightest · (i / steps)²` times white.
    func scales() -> [Float] {
        let white = HighRangeTransfer.referenceWhite
        return (0...Self.steps).map { step in
            let root = Double(max(step, 1)) / Double(Self.steps)
            let light = Double(Self.brightest) * root * root * white
            return Float(mapped(light) / light)
        }
    }

    static let steps = 4096
    /// The brightest light of PQ, in multiples of white.
    static let brightest = Float(10_000 / HighRangeTransfer.referenceWhite)
}
