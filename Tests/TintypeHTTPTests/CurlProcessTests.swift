import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// What libcurl would take from the process, and keep from it. Each test has a process of its own, in which libcurl is
/// loaded after the environment was changed.
@Suite(.timeLimited) struct CurlProcessTests {
    /// libcurl would write the keys of all connections to the file.
    @Test func theVariableForAKeyLogChangesNothing() async {
        await #expect(processExitsWith: .success) {
            let file = Self.temporaryPath()
            setenv("SSLKEYLOGFILE", file, 1)
            var configuration = DownloaderConfiguration.patient
            configuration.hostsWithUncheckedCertificates = ["127.0.0.1"]
            try await Fixture.withOrigin(configuration, identity: try TestCertificate.make()) { origin, load in
                origin.serve("/a", response: .testImage)
                let loaded = try await load("/a")
                try #require(loaded.metrics?.isEncrypted == true)
            }
            try #require(getenv("SSLKEYLOGFILE").map { String(cString: $0) } == file)
            try #require(!FileManager.default.fileExists(atPath: file))
        }
    }

    /// Whether the C library asks name servers directly for names that no file has.
    private static let asksNameServers =
        (try? String(contentsOfFile: "/etc/nsswitch.conf", encoding: .utf8))?
        .split(separator: "\n").contains { $0.split(separator: " ").starts(with: ["hosts:", "files", "dns"]) } == true

    /// Otherwise, libcurl waits for the lookup when it removes the exchange.
    @Test(.enabled(if: asksNameServers)) func aLookupThatNeverEndsHoldsUpNeitherTheThreadNorTheProcess() async {
        await #expect(processExitsWith: .success) {
            // A lookup reads this file (hostname(7)), and waits for the other end of the FIFO, which stays silent.
            let file = Self.temporaryPath()
            try #require(mkfifo(file, 0o600) == 0 && setenv("HOSTALIASES", file, 1) == 0)
            defer { unlink(file) }
            let transport = CurlTransport()
            let url = try #require(URL(string: "http://nowhere/a"))
            let exchange = transport.send(TransportRequest(url: url), to: TransportResponse(.system))
            let isLookedUp = SharedPromise<Int32>()
            Thread.detachNewThread { isLookedUp.fulfill(open(file, O_WRONLY)) }
            let descriptor = await isLookedUp.wait { -1 }
            try #require(descriptor >= 0)
            exchange.cancel()
            // The limit ends a test that fails.
            var configuration = DownloaderConfiguration.patient
            (configuration.transport, configuration.totalTimeout) = (transport, .seconds(30))
            try await Fixture.withOrigin(configuration) { origin, load in
                origin.serve("/a", response: .testImage)
                let data = try await load("/a").data
                try #require(data == Fixture.body)
            }
        }
    }

    private static func temporaryPath() -> String {
        FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)").path(
            percentEncoded: false)
    }
}
