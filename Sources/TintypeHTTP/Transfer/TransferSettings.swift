import Foundation
import NIOSSL
import TintypeCore

/// The settings of one transfer: the configuration when it began, with the options of its request.
///
/// A class, because every step of a transfer holds it and a configuration is large to copy.
final class TransferSettings: Sendable {
    let configuration: DownloaderConfiguration
    let options: HTTPOptions
    /// The media types that the caller can decode; `nil` if they are unknown.
    let accept: String?
    /// The maximum number of bytes that the caller accepts.
    let byteLimit: Int
    /// The header fields of the configuration.
    let headers: HTTPFields
    let limits: ResponseBody.Limits
    let interceptors: [any HTTPInterceptor]
    private let traits: ClientTraits

    init(configuration: DownloaderConfiguration, options: HTTPOptions, accept: String? = nil, byteLimit: Int) {
        self.configuration = configuration
        self.options = options
        self.accept = accept
        self.byteLimit = byteLimit
        headers = Self.headers(of: configuration, accept)
        traits = ClientTraits(configuration, options)
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
    var crossOriginFields: CrossOriginFields { configuration.crossOriginFields.union(options.crossOriginFields) }
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

    /// The traits of the client for a URL, which depend on its proxy and its route.
    ///
    /// - Parameters:
    ///   - version: The version of HTTP that the server has chosen, if it differs from that of most servers.
    ///   - environment: The variables that name proxies.
    /// - Throws: ``TintypeCore/TintypeError/Code/unreachable`` when the proxy in the environment cannot be used.
    func traits(
        for url: URL, over route: ConnectionRoute = .unrestricted, version: NegotiatedVersion? = nil,
        environment: [String: String]
    ) throws(TintypeError) -> ClientTraits {
        if traits.client != nil { return traits }
        let proxy = try configuration.proxy.proxy(for: url, environment: environment)
        guard proxy != nil || route != .unrestricted || version != nil else { return traits }
        return ClientTraits(
            configuration, options, proxy: proxy, pin: proxy == nil ? route.pin : nil, version: version)
    }

    /// Checks a request. The guard comes first, so that it also refuses a URL that cannot be sent.
    ///
    /// - Throws: The error of the guard; ``TintypeCore/TintypeError/Code/refusedRequest`` when the client of the program
    ///   ignores a setting, or the request cannot be sent.
    @inline(never)
    func check(_ request: DownloadRequest) throws(TintypeError) {
        try serverGuard?.check(request.url)
        if let setting = settingIgnoredByClient {
            throw TintypeError(
                .refusedRequest, stage: .load,
                "\(setting) needs the downloader's own HTTP client, not that of the program")
        }
        try request.validate()
    }

    /// The setting that the client of the program ignores; `nil` without such a client. Sent without the guard or the
    /// proxy, a request could reach servers that these settings exclude.
    private var settingIgnoredByClient: String? {
        guard traits.client != nil else { return nil }
        if serverGuard != nil { return "a server guard" }
        if case .server = configuration.proxy { return "a proxy of the downloader" }
        return nil
    }

    /// The limit on silence; `nil` if the connections have an ``IdleHandler`` of the downloader.
    var silence: SilenceLimit? {
        traits.client == nil ? nil : SilenceLimit(connecting: connectTimeout, idle: idleTimeout)
    }

    /// The settings of TLS for a URL; `nil` for those of its client.
    ///
    /// - Parameter origin: The URL of the request, before redirects.
    /// - Throws: ``TintypeCore/TintypeError/Code/insecure`` when a certificate cannot be read.
    func tls(for url: URL, origin: URL) throws(TintypeError) -> TLSConfiguration? {
        guard
            !configuration.clientCertificates.isEmpty || !configuration.hostsWithUncheckedCertificates.isEmpty
                || options.acceptsUncheckedCertificate
        else { return nil }
        let isUnchecked = acceptsUncheckedCertificate(of: url, origin: origin)
        let own = configuration.clientCertificates[url.plainHost]
        guard isUnchecked || own != nil else { return nil }
        var tls = isUnchecked ? TLSConfiguration.makeClientConfiguration() : try traits.tls()
        if isUnchecked { tls.certificateVerification = .none }
        try own?.add(to: &tls)
        return tls
    }

    /// Whether the certificate of a URL's host is not checked.
    ///
    /// - Parameter origin: The URL of the request, before redirects.
    private func acceptsUncheckedCertificate(of url: URL, origin: URL) -> Bool {
        guard let host = url.host()?.lowercased() else { return false }
        return configuration.hostsWithUncheckedCertificates.contains(host)
            || options.acceptsUncheckedCertificate && url.hasOrigin(of: origin)
    }
}

/// The state that all transfers of one downloader share.
final class TransferServices: Sendable {
    let clients: ClientPool
    let queue: TransferQueue
    /// Limits the rate at which requests start.
    let tokens: Locked<TokenBucket>
    /// Limits the rate at which bodies arrive.
    let byteRate: ByteRateLimiter
    /// Ends responses that are too slow.
    let watch: TransferWatch

    init(_ configuration: DownloaderConfiguration, lookups: HostLookups = HostResolver.unguardedLookups) {
        clients = ClientPool(configuration.clock, lookups: lookups)
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
