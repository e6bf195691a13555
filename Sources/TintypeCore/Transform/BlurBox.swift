/// A box that, applied three times, has the variance of a Gaussian: pixels up to `reach` away count fully, the next
/// ones a little. (Gwosdek et al., "Theoretical Foundations of Gaussian Convolution by Extended Box Filtering", 2011.)
struct BlurBox: Equatable {
    let reach: Int
    /// The weight of each pixel within the reach; all weights sum to 1.
    let full: Float
    /// The weight of each of the two beyond it.
    let edge: Float

    /// - Returns: `nil` for a radius so small that no pixel would change.
    init?(radius: Double) {
        let variance = radius * radius / 3
        guard variance > 0 else { return nil }
        let whole = (((12 * variance + 1).squareRoot() - 1) / 2).rounded(.down)
        let next = (whole + 1) * (whole + 1)
        let part = (2 * whole + 1) * (whole * (whole + 1) - 3 * variance) / (6 * (variance - next))
        let sum = 2 * whole + 1 + 2 * part
        // Below a 512th of a step nothing is left after rounding.
        guard whole > 0 || part / sum > 1.0 / 131_072 else { return nil }
        reach = Int(whole)
        full = Float(1 / sum)
        edge = Float(part / sum)
    }
}
