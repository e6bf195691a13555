/// What a decoder is given beside the bytes.
public struct DecodeContext: Sendable {
    public var options: DecodeOptions
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

    public func checkCancelled() throws(TintypeError) {
        if isCancelled() { throw .cancelled }
    }
}
