import Foundation
import TintypeCore

/// What holds for one transfer: the configuration as it was when it began, and what its request wants otherwise.
///
/// A class, since every step of a transfer has it and a configuration is large to copy.
final class TransferSettings: Sendable {
    let configuration: DownloaderConfiguration
    let options: HTTPOptions
    /// The most bytes that the one who waits can take.
    let byteLimit: Int
    /// The header fields of a request that says nothing itself.
    let headers: HTTPFields
    private let traits: ClientTraits
    let limits: WireBody.Limits
    let interceptors: [any HTTPInterceptor]

    init(configuration: DownloaderConfiguration, options: HTTPOptions, byteLimit: Int) {
        self.configuration = configuration
        self.options = options
        self.byteLimit = byteLimit
        headers = Self.headers(of: configuration)
        traits = ClientTraits(configuration, options)
        let own = options.maximumByteCount ?? configuration.maximumByteCount ?? .max
        limits = WireBody.Limits(byteCount: min(byteLimit, own), expansion: max(1, configuration.maximumExpansion))
        interceptors = configuration.interceptors + options.interceptors
    }

    /// The configuration's own fields, then the standard ones that it lacks.
    private static func headers(of configuration: DownloaderConfiguration) -> HTTPFields {
        var headers = HTTPFields()
        headers.addMissing(configuration.headers)
        headers.addMissing(["User-Agent": configuration.userAgent, "Accept": configuration.accept])
        return headers
    }

    var retry: RetryPolicy { options.retry ?? configuration.retry }
    var maximumRedirects: Int { options.maximumRedirects ?? configuration.maximumRedirects }
    var serverGuard: ServerGuard? { options.serverGuard ?? configuration.serverGuard }
    var totalTimeout: Duration? { options.totalTimeout ?? configuration.totalTimeout }

    /// Which of the clients below speaks with a URL.
    func traits(for url: URL, _ environment: [String: String]) -> ClientTraits {
        guard let proxy = configuration.proxy.proxy(for: url, environment) else { return traits }
        return ClientTraits(configuration, options, proxy: proxy)
    }

    /// - Parameter origin: the request's own URL, before redirects.
    func acceptsUncheckedCertificate(of url: URL, origin: URL) -> Bool {
        guard !configuration.hostsWithUncheckedCertificates.isEmpty || options.acceptsUncheckedCertificate,
            let host = url.host()?.lowercased()
        else { return false }
        return configuration.hostsWithUncheckedCertificates.contains(host)
            || options.acceptsUncheckedCertificate && url.hasOrigin(of: origin)
    }
}

/// What the transfers of one downloader share.
final class TransferServices: Sendable {
    let clients: ClientPool
    let queue: TransferQueue
    let starts: Locked<TokenBucket>
    /// The variables that name proxies: mostly none.
    let environment: [String: String]

    init(_ configuration: DownloaderConfiguration) {
        clients = ClientPool(configuration.clock)
        queue = TransferQueue(configuration)
        starts = Locked(TokenBucket(configuration.startRate))
        environment = ProxySetting.variables(in: ProcessInfo.processInfo.environment)
    }

    /// Whether starts are limited at all.
    var hasStartRate: Bool { starts.withLock { $0.rate != nil } }

    func follow(_ configuration: DownloaderConfiguration) {
        queue.apply(configuration)
        starts.withLock { $0.rate = configuration.startRate }
    }

    /// The client below that speaks with a URL, by the traits that hold for it.
    ///
    /// Not inlined, since who asks waits for the client, with all that is in its frame.
    @inline(never)
    func client(for url: URL, _ settings: TransferSettings) throws(TintypeError) -> PooledClient {
        try clients.client(settings.traits(for: url, environment))
    }
}
