import Testing
import TintypeHTTP

/// The default settings, as they are documented.
@Suite struct DefaultsTests {
    private let configuration = DownloaderConfiguration()

    @Test func limitsAndOrder() {
        #expect(configuration.maximumConcurrentDownloads == 6 && configuration.connectionsPerHost == 6)
        #expect(configuration.order == .firstInFirstOut && configuration.startRate == nil)
        #expect(configuration.maximumBytesPerSecond == nil)
    }

    @Test func timesAndRetries() {
        #expect(configuration.connectTimeout == .seconds(10) && configuration.idleTimeout == .seconds(15))
        #expect(configuration.totalTimeout == .seconds(900) && configuration.minimumRate == .standard)
        #expect(configuration.retry == .none && configuration.reconnection == nil)
    }

    @Test func requests() {
        #expect(configuration.headers.isEmpty && configuration.interceptors.isEmpty)
        #expect(configuration.accept == nil && configuration.userAgent.hasPrefix("Tintype/"))
        #expect(
            configuration.proxy == .environment && configuration.allowsHTTP2 && !configuration.allowsHTTP3
                && configuration.serverGuard == nil)
        #expect(!configuration.usesHSTS && configuration.transportThreadCount == 1)
        #expect(configuration.hostsWithUncheckedCertificates.isEmpty && configuration.trustedCertificates.isEmpty)
    }

    @Test func answers() {
        #expect(configuration.maximumRedirects == 10 && configuration.redirectHook == nil)
        #expect(configuration.acceptableStatusCodes == 200..<300 && configuration.acceptableContentTypes == nil)
        #expect(configuration.maximumByteCount == nil && configuration.maximumExpansion == 200)
        #expect(configuration.minimumProgressInterval == 0 && configuration.partials == nil)
    }
}
