/// The settings of a ``Downloader``. Those of a running one can be changed: what starts later follows them.
public struct DownloaderConfiguration: Sendable {
    // MARK: Places

    /// Transfers at once; others wait in order of priority. 6 by default, at least 1.
    public var maximumConcurrentDownloads = 6

    /// Transfers at once from one host, and connections to it. 6 by default, at least 1.
    public var connectionsPerHost = 6

    /// Which of equally urgent transfers goes first. The first that came, by default.
    public var order = DownloadOrder.firstInFirstOut

    /// How many requests may begin in a time; `nil`, the default, for no such limit.
    public var startRate: StartRate?

    // MARK: Times

    /// Until a connection stands, its TLS included. 10 s by default.
    public var connectTimeout = Duration.seconds(10)

    /// Without a byte from the other side. 15 s by default.
    public var idleTimeout = Duration.seconds(15)

    /// One try from its request to the last byte; `nil`, the default, for no such limit.
    public var totalTimeout: Duration?

    /// Which failures are tried again. None by default.
    public var retry = RetryPolicy.none

    /// Waited for before a try that follows one which could reach no one: ends when there may be a network again. What it
    /// throws ends the transfer with the failure of the last try. `nil`, the default, for no such wait.
    public var reconnection: (@Sendable () async throws -> Void)?

    // MARK: Requests

    /// Header fields of every request; a source's own come before them.
    public var headers: [String: String] = [:]

    /// `User-Agent`, unless ``headers`` has one.
    public var userAgent = "Tintype/0.1"

    /// `Accept`, unless ``headers`` has one.
    public var accept = "image/*,*/*;q=0.8"

    /// Around every exchange, the first one outermost; those of a request come inside them.
    public var interceptors: [any HTTPInterceptor] = []

    /// Where cookies are kept for requests that want them. Kept in memory, and shared by copies of this value.
    public var cookies = CookieStore()

    /// The way out. What the environment says, by default.
    public var proxy = ProxySetting.environment

    /// Whether HTTP/2 may be spoken over TLS. It may, by default.
    public var allowsHTTP2 = true

    /// Hosts whose certificates are not checked. None by default. A name stands for itself only, without a port.
    public var hostsWithUncheckedCertificates: Set<String> = []

    /// Certificates in PEM that are trusted beside those of the system.
    public var trustedCertificates: [String] = []

    /// What may be asked for, for programs that load what others name; `nil`, the default, for no guard.
    public var serverGuard: ServerGuard?

    // MARK: Answers

    /// Redirects that are followed. 10 by default; with 0 a redirect is an error.
    public var maximumRedirects = 10

    /// Decides on each redirect: returns the request to send, or `nil` to stop there with
    /// ``TintypeCore/TintypeError/Code/refusedRequest``. Checks and limits apply to what it returns.
    public var redirectHook: RedirectHook?

    /// Statuses of responses whose body is taken for a picture. 200 to 299 by default.
    public var acceptableStatusCodes = 200..<300

    /// Media types that are taken, such as `image/png` or `image/*`; `nil`, the default, for all.
    public var acceptableContentTypes: Set<String>?

    /// The most bytes of one body, on the wire and decoded; `nil`, the default, for the pipeline's limit, and 64 MB for
    /// ``Downloader/download(_:options:priority:)``.
    public var maximumByteCount: Int?

    /// How many times as large a body may become by taking off its content coding. 200 by default.
    public var maximumExpansion = 200

    /// The part of a transfer, from 0 to 1, after which progress is told again. 0, the default, tells it always.
    public var minimumProgressInterval = 0.0

    /// Where interrupted transfers are kept to be continued; `nil`, the default, for memory while it is retried.
    public var partials: PartialStore?

    /// The clocks; only tests need others.
    package var clock = TransferClock.system

    public init() {}
}

/// Which of equally urgent transfers goes first.
public enum DownloadOrder: Hashable, Sendable {
    case firstInFirstOut
    case lastInFirstOut
}

/// How many requests may begin: a token bucket.
public struct StartRate: Hashable, Sendable {
    /// Requests a second, in the long run.
    public var perSecond: Double
    /// Requests that may begin at once after a pause.
    public var burst: Int

    public init(perSecond: Double, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}
