import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTPCompression
public import TintypeCore

/// Loads `http:` and `https:` URLs: the HTTP ``TintypeCore/ImageLoader``, on async-http-client.
///
/// Transfers of equal sources are shared by the pipeline above. At most
/// ``DownloaderConfiguration/maximumConcurrentDownloads`` run at once, and one frees its place before its bytes are
/// decoded.
public final class Downloader: ImageLoader {
    public let configuration: DownloaderConfiguration
    private let client: HTTPClient
    private let line: TransferLine

    public init(_ configuration: DownloaderConfiguration = DownloaderConfiguration()) {
        self.configuration = configuration
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .init(configuration))
        line = TransferLine(width: configuration.maximumConcurrentDownloads)
    }

    deinit {
        // The client insists on an orderly end, which takes longer than this one's.
        let client = client
        Task { try? await client.shutdown() }
    }

    public func canLoad(_ source: ImageSource) -> Bool {
        guard case .url(let url) = source else {
            if case .http = source { return true } else { return false }
        }
        return ["http", "https"].contains(url.scheme?.lowercased())
    }

    @concurrent
    public func load(_ source: ImageSource, _ context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        let request = try DownloadRequest(source, configuration)
        try await line.enter(for: context.job)
        defer { line.leave() }
        let download = Download(request: request, configuration: configuration, received: context.received)
        return try await download.run(on: client)
    }
}

extension HTTPClient.Configuration {
    fileprivate init(_ configuration: DownloaderConfiguration) {
        self.init(
            // Followed by ``Download``, which checks where they lead.
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(configuration.connectTimeout), read: TimeAmount(configuration.idleTimeout)),
            // Pictures are compressed already, so nothing asks for more; a server that does it unasked is understood.
            decompression: .enabled(limit: .ratio(1_000)))
        connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, configuration.connectionsPerHost)
    }
}
