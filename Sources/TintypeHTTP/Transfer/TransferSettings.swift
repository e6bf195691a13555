import Foundation
import TintypeCore

/// The settings of one transfer: the configuration when it began, with the options of its request.
///
/// A class, because every step of a transfer holds it and a configuration is large to copy.
final class TransferSettings: Sendable {
    let configuration: DownloaderConfiguration
    let transport: any HTTPTransport
    let options: HTTPOptions
    /// The media types that the caller can decode; `nil` if they are unknown.
    let accept: String?
    /// The maximum number of bytes that the caller accepts.
    let byteLimit: Int
    /// The header fields of the configuration.
    let headers: HTTPFields
    let limits: ResponseBody.Limits
    let interceptors: [any HTTPInterceptor]
    private let security: TransportSecurity

    init(configuration: DownloaderConfiguration, options: HTTPOptions, accept: String? = nil, byteLimit: Int) {
        self.configuration = configuration
        transport = configuration.usedTransport
        self.options = options
        self.accept = accept
        self.byteLimit = byteLimit
        headers = Self.headers(of: configuration, accept)
        security = Self.security(of: configuration)
        let own = options.maximumByteCount ?? configuration.maximumByteCount ?? .max
        // Clamped, so that its product with a number of bytes does not overflow.
        let expansion = min(max(1, configuration.maximumExpansion), 1 << 20)
        limits = ResponseBody.Limits(byteCount: min(byteLimit, own), expansion: expansion)
        interceptors = configuration.interceptors + options.interceptors
    }

    /// The fields of the configuration, then the standard fields that it lacks.
    private static func headers(of configuration: DownloaderConfiguration, _ accept: String?) -> HTTPFields {
        var headers = HTTPFields()
        headers.addMissing(configuration.headers)
        let accept = configuration.accept ?? accept ?? "image/*,*/*;q=0.8"
        headers.addMissing(["User-Agent": configuration.userAgent, "Accept": accept])
        return headers
    }

    var idleTimeout: Duration { options.idleTimeout ?? configuration.idleTimeout }
    var connectTimeout: Duration { options.connectTimeout ?? configuration.connectTimeout }
    var retry: RetryPolicy { options.retry ?? configuration.retry }
    var maximumRedirects: Int { options.maximumRedirects ?? configuration.maximumRedirects }
    var serverGuard: ServerGuard? { options.serverGuard ?? configuration.serverGuard }
    /// The header fields that a request keeps at another origin.
    var crossOriginFields: CrossOriginFields {
        .standard.union(CrossOriginFields(configuration.crossOriginFields.union(options.crossOriginFields)))
    }
    var totalTimeout: Duration? { options.totalTimeout ?? configuration.totalTimeout }
    var limitsByteRate: Bool { configuration.maximumBytesPerSecond != nil }
    var minimumRate: MinimumRate? { options.minimumRate ?? configuration.minimumRate }
    /// The credential of the configuration for the origin of a URL.
    func credential(for url: URL) -> HTTPCredential? {
        configuration.credentials.first { $0.key.hasOrigin(of: url) }?.value
    }

    /// The cookies to send and to set; `nil` if the request uses none.
    var cookies: CookieStore? { options.usesCookies ? configuration.cookies : nil }

    /// Whether the transfer runs code of the program, which the limits on responses cannot stop.
    var runsUserCode: Bool { !interceptors.isEmpty || configuration.redirectHook != nil }

    /// Returns a request in the form of the transport.
    ///
    /// - Parameter origin: The URL of the first request, before redirects.
    /// - Throws: `TintypeError.Code.unreachable` when the proxy in the environment cannot be used;
    ///   `TintypeError.Code.refusedRequest` when addresses cannot be checked as the guard demands.
    func transportRequest(for request: DownloadRequest, origin: URL) throws(TintypeError) -> TransportRequest {
        var sent = TransportRequest(
            url: request.url.absoluteURL.withoutCredential, method: request.method, headers: request.headers,
            body: request.body)
        sent.connectTimeout = connectTimeout
        sent.proxy = try configuration.proxy.proxy(for: request.url, environment: ProxySetting.variables)
        (sent.allowsHTTP2, sent.allowsHTTP3) = (configuration.allowsHTTP2, configuration.allowsHTTP3)
        sent.security = security(for: request.url, origin: origin)
        sent.readSize = configuration.maximumBytesPerSecond.map { Self.readSize(forBytesPerSecond: $0) }
        if serverGuard != nil { try ServerGuard.check(sent.proxy, from: configuration.proxy) }
        sent.addressCheck = try serverGuard?.addressCheck(for: request.url, by: transport)
        return sent
    }

    /// Smaller reads make a limited rate steadier: a read takes at most what may arrive in a tenth of a second. Returns
    /// a number of bytes from 1 to 64 KB.
    static func readSize(forBytesPerSecond rate: Int) -> Int { min(max(rate / 10, 1 << 10), 64 << 10) }

    /// Checks a request. The guard comes first, so that it also refuses a URL that cannot be sent.
    ///
    /// - Throws: The error of the guard, or that of a request that cannot be sent.
    @inline(never)
    func check(_ request: DownloadRequest) throws(TintypeError) {
        try serverGuard?.check(request.url)
        try request.validate()
    }

    private static func security(of configuration: DownloaderConfiguration) -> TransportSecurity {
        var security = TransportSecurity()
        security.trustedCertificates = configuration.trustedCertificates
        return security
    }

    /// The settings of TLS for a URL.
    ///
    /// - Parameter origin: The URL of the first request, before redirects.
    private func security(for url: URL, origin: URL) -> TransportSecurity {
        var security = security
        // The certificates are checked in any case, so that a mistake in the configuration is noticed.
        guard url.isEncrypted else { return security }
        if !configuration.clientCertificates.isEmpty {
            security.clientCertificate = configuration.clientCertificates[url.plainHost]
        }
        if !configuration.hostsWithUncheckedCertificates.isEmpty || options.acceptsUncheckedCertificate {
            security.checksCertificate = !acceptsUncheckedCertificate(of: url, origin: origin)
        }
        return security
    }

    /// The limit on silence; `nil` for a century or more.
    var silence: SilenceLimit? {
        idleTimeout < .seconds(1 << 32) ? SilenceLimit(connecting: connectTimeout, idle: idleTimeout) : nil
    }

    /// Whether the certificate of a URL's host is not checked.
    ///
    /// - Parameter origin: The URL of the request, before redirects.
    func acceptsUncheckedCertificate(of url: URL, origin: URL) -> Bool {
        guard let host = url.host()?.lowercased() else { return false }
        return configuration.hostsWithUncheckedCertificates.contains(host)
            || options.acceptsUncheckedCertificate && url.hasOrigin(of: origin)
    }
}

/// The state that all transfers of one downloader share.
final class TransferServices: Sendable {
    let queue: TransferQueue
    /// Limits the rate at which requests start.
    let tokens: Locked<TokenBucket>
    /// Limits the rate at which bodies arrive.
    let byteRate: ByteRateLimiter
    /// The hosts that want TLS, if the configuration demands to remember them.
    let strictTransport = Locked(StrictTransport())
    /// Ends responses that are too slow.
    let watch: TransferWatch

    init(_ configuration: DownloaderConfiguration) {
        queue = TransferQueue(configuration)
        watch = TransferWatch(configuration.clock)
        tokens = Locked(TokenBucket(configuration.startRate))
        byteRate = ByteRateLimiter(configuration)
    }

    /// Whether the rate of starts is limited.
    var limitsStartRate: Bool { tokens.withLock { $0.rate != nil } }

    /// Adopts the limits of a configuration.
    func apply(_ configuration: DownloaderConfiguration) {
        queue.apply(configuration)
        tokens.withLock { $0.rate = configuration.startRate.map(TokenBucket.Rate.init) }
        byteRate.apply(configuration)
    }
}
