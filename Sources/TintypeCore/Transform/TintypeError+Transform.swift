extension TintypeError {
    /// A transformer whose parameters make no sense, or none for this picture.
    static func transformFailed(_ message: String) -> TintypeError {
        TintypeError(.transformFailed, stage: .transform, message)
    }
}

extension PixelSize {
    /// The most bytes, with what rows are padded by, of a picture that a transformer makes: parameters may come from
    /// outside.
    static let mostTransformedBytes = 1 << 30

    /// The longest side of a picture that a transformer makes: tables grow with it.
    static let longestTransformed = 1 << 20

    /// This size, if a transformer may make a picture of it.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` for one that is empty, ``TintypeError/Code/limitExceeded``.
    func checkedForTransform() throws(TintypeError) -> PixelSize {
        guard isPositive else { throw .transformFailed("no picture has the size \(self)") }
        guard max(width, height) <= Self.longestTransformed,
            PixelBuffer.bytesPerRow(width: width) * height <= Self.mostTransformedBytes
        else {
            throw TintypeError(.limitExceeded, stage: .transform, "a picture of \(self) pixels is too large to make")
        }
        return self
    }
}

extension Double {
    /// One text for each number, for identifiers: zero has no sign there.
    var canonical: String { String(self == 0 ? 0 : self) }

    /// This number, if it is one.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed``.
    func checkedForTransform(_ name: String) throws(TintypeError) -> Double {
        guard isFinite else { throw .transformFailed("the \(name) \(self) is not a number to work with") }
        return self
    }
}
