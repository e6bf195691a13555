/// Lengths in pixels. The two ways to round are those of imgproxy: sizes away from zero, offsets and padding to even.
extension Int {
    /// The largest length that a product can have. Sums of some of them do not overflow.
    private static let longest = 1e12

    /// Returns the length times a factor, rounded. Half a pixel is rounded up.
    func scaled(by factor: Double) -> Int {
        Int((Double(self) * factor).rounded().clamped(to: -Self.longest...Self.longest))
    }

    /// Returns the length times a factor, rounded. Half a pixel is rounded to the even neighbour.
    func scaledToEven(by factor: Double) -> Int { Int(roundingToEven: Double(self) * factor) }

    /// Creates a length from a number. Half a pixel is rounded to the even neighbour.
    init(roundingToEven number: Double) {
        self = Int(number.rounded(.toNearestOrEven).clamped(to: -Self.longest...Self.longest))
    }

    /// Returns the smaller one of two lengths, where 0 is no limit.
    func limited(to limit: Int) -> Int { self == 0 ? limit : limit == 0 ? self : Swift.min(self, limit) }
}
