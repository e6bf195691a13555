/// How closely the pixels of a stored picture are meant to lie on paper, in pixels an inch.
public struct PixelDensity: Hashable, Sendable {
    /// Pixels an inch, from left to right.
    public let across: Double
    /// Pixels an inch, from top to bottom.
    public let down: Double

    /// - Returns: `nil` for what no picture has: nothing, less, or no number.
    public init?(across: Double, down: Double) {
        guard across > 0, down > 0, across < 1e9, down < 1e9 else { return nil }
        self.across = across
        self.down = down
    }

    package static let centimetresAnInch = 2.54
    package static let metresAnInch = 0.0254
}
