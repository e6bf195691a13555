import Tintype

/// The option that may help after a failure.
///
/// The library's errors name the thing and what is wrong with it. Only the command knows which options the user has,
/// and has not given yet.
struct FailureHint: Sendable {
    /// Whether the subcommand has the option `--partial`, and the user did not give it.
    let offersPartial: Bool
    /// Whether the subcommand loads images over HTTP.
    private let hasTransfers: Bool
    private let retries: Bool
    private let isAuthenticated: Bool

    /// - Parameter transfer: The options of transfers; `nil` for a subcommand without them.
    init(offersPartial: Bool = false, transfer: TransferOptions? = nil) {
        self.offersPartial = offersPartial
        hasTransfers = transfer != nil
        retries = transfer.map { $0.retry > 0 } ?? false
        isAuthenticated = transfer?.user != nil
    }

    /// Returns an error as the command reports it: on one line, with a hint if there is one.
    func description(_ error: TintypeError) -> String {
        guard let hint = hint(for: error) else { return "\(error)" }
        return "\(error); \(hint)"
    }

    /// Returns what to do, such as `--retry 3 tries again`, or `nil`.
    func hint(for error: TintypeError) -> String? {
        switch error.code {
        case .undecodable where offersPartial: "--partial accepts the part that can be decoded"
        case _ where !hasTransfers: nil
        case .badStatus: error.status.flatMap(hint(forStatus:))
        case .timedOut: "--timeout and --max-time set other limits"
        case .insecure: "--insecure HOST accepts the certificate of a host that you trust"
        case .truncatedBody, .transport: retryHint
        case .notCached: "without --cache-only, the image is loaded"
        case .tooManyRedirects: "--max-redirects sets another limit"
        // Other limits are fixed.
        case .limitExceeded where error.limit == .bytes: "--max-bytes sets another limit"
        default: nil
        }
    }

    private func hint(forStatus status: Int) -> String? {
        switch status {
        case 401: isAuthenticated ? nil : "--user NAME:PASSWORD authenticates"
        case 407: "--proxy http://NAME:PASSWORD@HOST:PORT authenticates at the proxy"
        case 408, 429, 500, 502, 503, 504: retryHint
        default: nil
        }
    }

    private var retryHint: String? { retries ? nil : "--retry 3 tries again" }
}

/// A failure that ends the command, with what its subcommand knows about the options that may help.
struct CommandFailure: Error {
    let error: TintypeError
    let hint: FailureHint

    init(_ error: TintypeError, _ hint: FailureHint) {
        (self.error, self.hint) = (error, hint)
    }
}
