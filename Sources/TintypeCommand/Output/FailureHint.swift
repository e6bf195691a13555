import Tintype

/// The option that may help after a failure.
///
/// The library's errors name the thing and what is wrong with it. Only the command knows which option to suggest.
struct FailureHint: Sendable {
    /// Whether the subcommand has the option `--partial`, and the user did not give it.
    var offersPartial = false

    /// Returns an error as the command reports it: on one line, with a hint if there is one.
    func description(_ error: TintypeError) -> String {
        guard let hint = hint(for: error) else { return "\(error)" }
        return "\(error); \(hint)"
    }

    /// Returns what to do, such as `--retry 3 tries again`, or `nil`.
    func hint(for error: TintypeError) -> String? {
        switch error.code {
        case .badStatus: error.status.flatMap(Self.hint(forStatus:))
        case .timedOut: "--timeout and --max-time set other limits"
        case .insecure: "--insecure HOST accepts the certificate of a host that you trust"
        case .truncatedBody, .transport: "--retry 3 tries again"
        case .undecodable where offersPartial: "--partial accepts the part that can be decoded"
        case .notCached: "without --cache-only, the image is loaded"
        case .tooManyRedirects: "--max-redirects sets another limit"
        // Other limits are fixed.
        case .limitExceeded where error.message.hasPrefix("more than ") && error.message.hasSuffix(" bytes"):
            "--max-bytes sets another limit"
        default: nil
        }
    }

    private static func hint(forStatus status: Int) -> String? {
        switch status {
        case 401: "--user NAME:PASSWORD authenticates"
        case 407: "--proxy http://NAME:PASSWORD@HOST:PORT authenticates at the proxy"
        case 408, 429, 500, 502, 503, 504: "--retry 3 tries again"
        default: nil
        }
    }
}
