/// How a pipeline remembers sources that failed: see ``FailedSources``.
public struct FailureMemory: Sendable {
    /// The most sources that are remembered; 0 remembers none.
    public var capacity: Int
    /// How long each is remembered.
    public var lifetime: Duration
    /// Whether trying again would not mend an error. By default ``TintypeError/isLasting``.
    public var shouldRemember: @Sendable (ImageSource, TintypeError) -> Bool

    public init(
        capacity: Int = 1000, lifetime: Duration = .seconds(600),
        shouldRemember: @escaping @Sendable (ImageSource, TintypeError) -> Bool = { $1.isLasting }
    ) {
        self.capacity = capacity
        self.lifetime = lifetime
        self.shouldRemember = shouldRemember
    }
}

extension TintypeError {
    /// Whether the source itself is at fault, so that asking again gives the same.
    ///
    /// Those that SDWebImage remembers: its errors 1000 and 1001, and of the network's own what is not bound to pass; and
    /// what is too large, which would be loaded again only to be refused again. A status that the server may change its
    /// mind about is not among them, nor what one request asked of a good picture (``Code/notAnimated``).
    public var isLasting: Bool {
        [
            .invalidSource, .notAnImage, .noCoder, .undecodable, .undecipherable, .emptyBody, .limitExceeded, .insecure,
            .tooManyRedirects,
        ].contains(code)
    }
}
