import Testing

@testable import TintypeHTTP

@Suite struct ClientTraitsTests {
    private static let changes: [@Sendable (inout DownloaderConfiguration) -> Void] = [
        { $0.connectTimeout = .seconds(1) }, { $0.idleTimeout = .seconds(1) }, { $0.connectionsPerHost = 1 },
        { $0.allowsHTTP2.toggle() }, { $0.trustedCertificates = ["a"] }, { $0.serverGuard = ServerGuard() },
    ]

    private func traits(
        proxy: ProxyServer? = nil, _ change: (inout DownloaderConfiguration) -> Void = { _ in }
    ) -> ClientTraits {
        var configuration = DownloaderConfiguration()
        change(&configuration)
        return ClientTraits(configuration, HTTPOptions(), proxy: proxy)
    }

    @Test func differentTraitsNeedDifferentClients() {
        #expect(traits() == traits())
        for change in Self.changes { #expect(traits(change) != traits() && traits(change) == traits(change)) }
        #expect(traits(proxy: ProxyServer(host: "a", port: 1)) != traits())
    }

    @Test func everyTraitIsTested() {
        #expect(Mirror(reflecting: traits()).children.count == Self.changes.count + 1)
    }
}
