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
