public import Foundation

/// The settings of a ``Downloader``. Changes to a running downloader apply to transfers that start later.
public struct DownloaderConfiguration: Sendable {
    // MARK: Limits

    /// The maximum number of transfers that run at once, at least 1; others wait in order of priority. 6 by default.
    ///
    /// If it is more than 1 and all running transfers are from one host, one transfer of another host may start in
    /// addition. A slow host then does not stop all others.
    public var maximumConcurrentDownloads = 6

    /// The maximum number of transfers that run at once from one host, and of connections to it, at least 1. 6 by
    /// default.
    public var connectionsPerHost = 6

    /// The order of waiting transfers with equal priority. The oldest first by default.
    public var order = DownloadOrder.firstInFirstOut

    /// The rate at which requests start; `nil`, the default, sets no limit.
    public var startRate: StartRate?

    /// The maximum number of bytes of bodies, with their content coding, that all transfers together receive per second
    /// in the long run, at least 1; `nil`, the default, sets no limit.
    ///
    /// Origins wait meanwhile: connections are not read, and nothing is buffered beyond the sockets. A transfer that
    /// began without a limit keeps none. ``totalTimeout`` still applies; ``idleTimeout`` and ``minimumRate`` do not
    /// count this wait.
    public var maximumBytesPerSecond: Int?

    // MARK: Times

    /// The longest time until a connection is established, including the TLS handshake. 10 s by default.
    public var connectTimeout = Duration.seconds(10)

    /// The longest time without a byte from the server, while the connection is read. 15 s by default.
    public var idleTimeout = Duration.seconds(15)

    /// The longest time of one attempt, from the moment it leaves the queue to the last byte, including redirects. 15
    /// minutes by default, in which a link with 200 kbit/s transfers 20 MB; `nil` sets no limit.
    public var totalTimeout: Duration? = .seconds(900)

    /// The lowest rate at which a body must arrive, 30,000 bytes in 30 seconds by default; `nil` sets no limit. A
    /// slower response fails with `TintypeError.Code.timedOut`.
    public var minimumRate: MinimumRate? = .standard

    /// The rules for retries. None by default.
    public var retry = RetryPolicy.none

    /// Called before an attempt that follows `TintypeError.Code.unreachable`; returns when a network may
    /// be available again, for example `NetworkMonitor.waitUntilConnected()`.
    ///
    /// If it throws, or takes longer than `RetryPolicy.timeLimit` allows, the transfer fails with the error of the
    /// last attempt. `nil`, the default, does not wait.
    public var reconnection: (@Sendable () async throws -> Void)?

    // MARK: Requests

    /// Header fields of every request. Fields of a source take precedence.
    public var headers: [String: String] = [:]

    /// The `User-Agent` field, unless ``headers`` has one.
    public var userAgent = "Tintype/0.1"

    /// The `Accept` field, unless ``headers`` or a source has one.
    ///
    /// `nil`, the default, lists the formats that the pipeline can decode, so that servers can choose. Without a
    /// pipeline it is `image/*,*/*;q=0.8`.
    public var accept: String?

    /// The credentials of all requests, by origin. Only the scheme, the host and the port of each URL count. None by
    /// default.
    ///
    /// A credential goes to its own origin only, also after a redirect there. The credential of a request, or in its
    /// URL, takes precedence. See ``DigestAuthenticator`` for servers that send a challenge.
    public var credentials: [URL: HTTPCredential] = [:]

    /// The interceptors around every exchange, the first one outermost; the interceptors of a request run inside them.
    public var interceptors: [any HTTPInterceptor] = []

    /// The cookies of requests with ``HTTPOptions/usesCookies``. Copies of this value share them.
    public var cookies = CookieStore()

    /// The proxy. By default the one that the environment names.
    public var proxy = ProxySetting.environment

    /// Whether HTTP/2 is used over TLS if the server and the transport support it. `true` by default.
    public var allowsHTTP2 = true

    /// Whether HTTP/3 is tried as well, where ``allowsHTTP2`` and no proxy applies, if the standard transport's libcurl
    /// can speak it. `false` by default. **Untested**: no test runs with such a libcurl.
    public var allowsHTTP3 = false

    /// Whether hosts that ask for it over TLS (HSTS, RFC 6797) are reached over TLS alone from then on. `false` by
    /// default.
    ///
    /// An `http:` URL of such a host is requested as an `https:` URL, by which the ``serverGuard``, cookies and
    /// redirects judge. The downloader remembers up to 1,000 hosts in memory, without those whose certificates are not
    /// checked.
    public var usesHSTS = false

    /// The hosts whose certificates are not checked, in lowercase and without ports. None by default.
    public var hostsWithUncheckedCertificates: Set<String> = []

    /// Certificates in PEM format that are trusted in addition to those of the system. None by default.
    public var trustedCertificates: [String] = []

    /// The certificates with which the downloader proves its identity, by host, in lowercase and without port. A server
    /// can request only the certificate of its own host. None by default.
    public var clientCertificates: [String: ClientCertificate] = [:]

    /// Restricts which servers are contacted, for programs that load URLs from untrusted sources. `nil`, the default,
    /// sets no restriction.
    public var serverGuard: ServerGuard?

    /// Sends the requests. The one over libcurl by default.
    ///
    /// The rules of the downloader stay in force with any transport: the limits on transfers, bytes, redirects, rates
    /// and times. Requests with a ``serverGuard`` fail with `TintypeError.Code.refusedRequest` if the transport does
    /// not check addresses.
    public var transport: any HTTPTransport = CurlTransport.shared

    /// The number of threads among which ``transport`` distributes the requests if it is the standard one, from 1 to
    /// 64. 1 by default.
    ///
    /// One thread is enough for some gigabits per second. More help if the thread `tintype.http` is always busy while
    /// other cores are idle. Each thread has its own connections, up to ``connectionsPerHost`` to one host, so that
    /// fewer are used again. Downloaders with equal numbers share the threads.
    public var transportThreadCount = 1

    /// The transport that sends the requests.
    var usedTransport: any HTTPTransport {
        guard transportThreadCount > 1, let standard = transport as? CurlTransport, standard === CurlTransport.shared
        else { return transport }
        return CurlTransport.shared(threadCount: transportThreadCount)
    }

    // MARK: Responses

    /// The maximum number of redirects. 10 by default; with 0, a redirect is an error.
    public var maximumRedirects = 10

    /// Takes the request that a redirect leads to and the response that redirects, and returns the request to send,
    /// which is checked and limited like any other. If it returns `nil`, the transfer fails with
    /// `TintypeError.Code.refusedRequest`.
    ///
    /// At another origin, the request has only fields that are safe there (``crossOriginFields``); the closure may add
    /// others for an origin that it trusts. It runs on the global concurrent executor, and may throw to end the
    /// transfer.
    public var redirectHook:
        (@Sendable (_ next: DownloadRequest, _ response: DownloadResponse) async throws -> DownloadRequest?)?

    /// The names of header fields that a request keeps when a redirect leads to another origin, in addition to those
    /// that are safe anywhere, such as `Accept` and `User-Agent`. Names are case-insensitive. Empty by default, because
    /// any other field may be a credential. `Authorization`, `Cookie` and `Proxy-Authorization` never cross origins.
    public var crossOriginFields: Set<String> = []

    /// The status codes of responses whose body is accepted as an image. 200 to 299 by default.
    public var acceptableStatusCodes = 200..<300

    /// The accepted media types, such as `image/png` or `image/*`; `nil`, the default, accepts all.
    public var acceptableContentTypes: Set<String>?

    /// The names of header fields of responses that are stored with their images, and that ``HTTPResponseInfo`` has, in
    /// addition to those that caching needs. Names are case-insensitive. `nil` stores all fields except those that
    /// concern one connection. Values are stored as they are: a `Set-Cookie` field, for example, may be a secret.
    public var storedHeaders: Set<String>? = []

    /// Selects the header fields that ``storedHeaders`` names.
    var storedFields: StoredHeaderFields {
        guard let storedHeaders else { return .all }
        return storedHeaders.isEmpty ? .caching : .caching(and: storedHeaders)
    }

    /// The maximum size of one body in bytes, both as sent and decoded.
    ///
    /// `nil`, the default, stands for the pipeline's limit, and for 64 MB in
    /// ``Downloader/download(_:options:priority:onProgress:)``.
    public var maximumByteCount: Int?

    /// The maximum number of decoded bytes for each byte of a body with a content coding. 200 by default.
    public var maximumExpansion = 200

    /// The fraction of a transfer, from 0 to 1, between two progress reports. 0, the default, reports every change.
    public var minimumProgressInterval = 0.0

    /// The folder in which interrupted transfers are stored for a later process; `nil`, the default, resumes only
    /// between the attempts of one transfer.
    public var partials: PartialStore?

    /// The clock, which tests replace.
    package var clock = TransferClock.system

    /// Creates the default configuration.
    public init() {}
}

/// The order of waiting transfers with equal priority.
public enum DownloadOrder: Hashable, Sendable {
    /// The oldest first.
    case firstInFirstOut
    /// The youngest first.
    case lastInFirstOut
}
