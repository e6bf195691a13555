#if Server
import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Clients that close the connection before they have their response.
@Suite(.timeLimited, .enabled(if: TestProgram.curl.path != nil, "curl is not installed"))
struct DepartureTests {
    /// How a client asks.
    enum Way: CaseIterable {
        case plain
        case connection
        case stream
    }

    /// Runs a test with a folder, which is removed.
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = URL(filePath: "/tmp/tintype-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    /// Returns the settings of a server with metrics at a socket in a folder, and with TLS unless clients ask without.
    private func settings(_ way: Way, _ origin: Origin, _ folder: URL) throws -> [String: String] {
        let path = { (name: String) in folder.appending(path: name).path }
        var settings = ["TINTYPE_ALLOWED_SOURCES": origin.url("/").absoluteString]
        settings["TINTYPE_METRICS_BIND"] = "unix:\(path("metrics"))"
        guard way != .plain else { return settings }
        let identity = try TestCertificate.make()
        try Data(identity.certificates.utf8).write(to: folder.appending(path: "certificate.pem"))
        try Data(identity.key.utf8).write(to: folder.appending(path: "key.pem"))
        settings["TINTYPE_TLS_CERTIFICATE"] = path("certificate.pem")
        settings["TINTYPE_TLS_KEY"] = path("key.pem")
        return settings
    }

    /// Starts a client that waits for a picture.
    private func client(_ way: Way, _ server: ServerRun, _ source: URL) throws -> Process {
        let curl = Process()
        curl.executableURL = URL(filePath: try #require(TestProgram.curl.path))
        let base = "\(way == .plain ? "http" : "https")://127.0.0.1:\(server.port)"
        curl.arguments = [
            "-sSk", way == .stream ? "--http2" : "--http1.1", "--noproxy", "*",
            "\(base)/unsigned/w:6/plain/\(source.absoluteString)",
        ]
        (curl.standardOutput, curl.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try curl.run()
        return curl
    }

    @Test(arguments: Way.allCases) func theRequestOfAClientThatLeavesEnds(_ way: Way) async throws {
        let (origin, gate) = (try await Origin.start(), OriginGate())
        origin.serve("/a.png", response: .image(Data(), type: "image/png").setting(\.gate, to: gate))
        try await withFolder { folder in
            try await ServerRun.run(try settings(way, origin, folder)) { server in
                let client = try client(way, server, origin.url("/a.png"))
                await origin.waitForRequests(1)
                // Threads of tasks block signals, which their children inherit; not this one.
                kill(client.processIdentifier, SIGKILL)
                let socket = folder.appending(path: "metrics").path
                var metrics = ""
                while !metrics.contains(#"tintype_errors_total{type="client_gone"} 1"#) {
                    metrics = try await TestProgram.curl.run(["-sS", "--unix-socket", socket, "http://x/metrics"])
                        .output
                }
            }
        }
        gate.open()
        await origin.stop()
    }
}
#endif
