/// A duration as an animated PNG stores it: a fraction of two 16-bit numbers.
struct PNGDelay: Equatable {
    var numerator: UInt16
    var denominator: UInt16

    /// The fraction that is nearest to a number of seconds among its convergents, which finds the one that it was made
    /// of. Below a 65,535th of a second that is 0.
    init(_ seconds: Double) {
        var (former, last) = ((0.0, 1.0), (1.0, 0.0))
        var rest = min(max(seconds, 0), Double(UInt16.max))
        while true {
            let whole = rest.rounded(.down)
            let next = (whole * last.0 + former.0, whole * last.1 + former.1)
            guard max(next.0, next.1) <= Double(UInt16.max) else { break }
            (former, last) = (last, next)
            // What is left of a fraction that was stored is the error of its division.
            guard rest - whole > Self.error else { break }
            rest = 1 / (rest - whole)
        }
        (numerator, denominator) = (UInt16(last.0), UInt16(last.1))
    }

    private static let error = 1e-6
}
