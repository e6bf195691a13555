/// What a decoder is given beside the bytes.
public struct DecodeContext: Sendable {
    /// What is wanted of the bytes.
    public var options: DecodeOptions
    /// What a decoder may spend on them.
    public var limits: DecodeLimits
    /// Whether no one waits any more. To be asked every few rows; the decoder then throws
    /// ``TintypeError/Code/cancelled``.
    public var isCancelled: @Sendable () -> Bool

    public init(
        options: DecodeOptions = DecodeOptions(), limits: DecodeLimits = DecodeLimits(),
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.options = options
        self.limits = limits
        self.isCancelled = isCancelled
    }

    /// - Throws: ``TintypeError/Code/cancelled`` when no one waits any more.
    public func checkCancelled() throws(TintypeError) {
        if isCancelled() { throw .cancelled }
    }
}
