import Foundation

/// A transfer characteristic for displays brighter than paper. Raw values are the numbers of ITU-T H.273, 8.2.
///
/// Light is display light in multiples of ``referenceWhite``, unless stated otherwise.
enum HighRangeTransfer: Int, Sendable {
    /// PQ: Rec. ITU-R BT.2100-2, table 4.
    case pq = 16
    /// HLG: Rec. ITU-R BT.2100-2, table 5.
    case hlg = 18

    /// The light of reference white in cd/m²: Rec. ITU-R BT.2408-7, 2.2.
    static let referenceWhite = 203.0
    /// The peak of HLG's nominal display, and of the displays on which most PQ content is graded, in cd/m².
    static let nominalPeak = 1000.0

    /// Returns the light of a code from 0 to 1. For HLG this is scene light, which ``systemExponent`` turns into
    /// display light.
    func light(_ code: Double) -> Double {
        switch self {
        case .pq: Self.pqLight(code) / Self.referenceWhite
        case .hlg: code <= 0.5 ? code * code / 3 : (exp((code - Self.c) / Self.a) + Self.b) / 12
        }
    }

    /// The light of each of 65,536 codes, computed once per process.
    var table: [Float] { self == .pq ? Self.pqTable : Self.hlgTable }

    private static let pqTable = HighRangeTransfer.pq.makeTable()
    private static let hlgTable = HighRangeTransfer.hlg.makeTable()
    private func makeTable() -> [Float] { (0...65535).map { Float(light(Double($0) / 65535)) } }

    // MARK: HLG

    private static let a = 0.17883277
    private static let b = 1 - 4 * a
    private static let c = 0.5 - a * log(4 * a)

    /// The exponent of scene luminance in the gain of a display with a peak of ``nominalPeak``.
    static let systemExponent = 0.2

    // MARK: PQ

    private static let m1 = 2610.0 / 16384
    private static let m2 = 2523.0 / 4096 * 128
    private static let c1 = 3424.0 / 4096
    private static let c2 = 2413.0 / 4096 * 32
    private static let c3 = 2392.0 / 4096 * 32

    /// Returns the light in cd/m² of a PQ code from 0 to 1.
    static func pqLight(_ code: Double) -> Double {
        let power = pow(max(code, 0), 1 / m2)
        return 10_000 * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    }

    /// Returns the PQ code of `light` in cd/m².
    static func pqCode(_ light: Double) -> Double {
        let power = pow(max(light, 0) / 10_000, m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }
}

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
