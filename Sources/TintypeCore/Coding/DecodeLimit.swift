/// One of the ``DecodeLimits``: which it was that a picture exceeded.
public enum DecodeLimit: String, Error, Hashable, Sendable, CaseIterable {
    case pixels, side, frames, animatedPixels, scans, chunkBytes, textBytes, profileBytes, exifBytes, ratio, elements,
        filteredPixels, time
    /// Bounds that a library has of its own.
    case library
}

extension TintypeError {
    /// Which limit a picture exceeded, where the code is ``Code/limitExceeded`` and it was one of decoding.
    public var limit: DecodeLimit? { underlying as? DecodeLimit }

    /// - Parameter message: what there is, and what is allowed.
    package static func exceeded(_ limit: DecodeLimit, _ message: String) -> TintypeError {
        TintypeError(.limitExceeded, stage: .decode, message, underlying: limit)
    }
}
