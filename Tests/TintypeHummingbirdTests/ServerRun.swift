#if Server
import Foundation
import Testing
import TintypeCore
import TintypeTesting

/// A server as a process of its own, on a free port of 127.0.0.1: `tintype-server`, or the example of a web service. It
/// ends with the process that has started it.
final class ServerRun: Sendable {
    let port: Int
    private let folder: URL
    private let life: FileHandle

    private init(port: Int, folder: URL, life: FileHandle) {
        (self.port, self.folder, self.life) = (port, folder, life)
    }

    /// Why a server did not start.
    struct Failure: Error {
        let message: String
    }

    /// Runs a test with an unsigned server that may load sources from this machine, and ends the server.
    ///
    /// - Parameter settings: Further settings. Empty values remove a setting.
    static func run(_ settings: [String: String] = [:], _ body: (ServerRun) async throws -> Void) async throws {
        let makeLaunch: (Int, URL) throws -> Launch = { port, folder in
            Launch(
                program: "tintype-server", arguments: [],
                environment: try environment(settings, port: port, folder: folder),
                readyLine: "tintype-server: listening on")
        }
        try await run(makeLaunch, body)
    }

    /// How a server is started.
    struct Launch {
        let program: String
        let arguments: [String]
        let environment: [String: String]
        /// What the server writes to standard error when it accepts connections.
        let readyLine: String
    }

    /// Runs a test with a server, and ends the server.
    ///
    /// - Parameter makeLaunch: Gets a free port, and the folder of the server.
    static func run(
        _ makeLaunch: (Int, URL) throws -> Launch, _ body: (ServerRun) async throws -> Void
    ) async throws {
        // Another process may take the port between the search and the start.
        var server: ServerRun?
        for attempt in 1...3 where server == nil {
            do { server = try await start(makeLaunch) } catch {
                guard attempt < 3, (error as? Failure)?.message.contains("Address already in use") == true else {
                    throw error
                }
            }
        }
        let running = try #require(server)
        let result: Result<Void, any Error>
        do { result = .success(try await body(running)) } catch { result = .failure(error) }
        try? running.life.close()
        try result.get()
    }

    /// Runs a server that is expected not to start. Returns its exit status and what it reports.
    static func failure(_ settings: [String: String]) async throws -> (status: Int32, report: String) {
        let process = Process()
        let errors = Pipe()
        process.executableURL = program("tintype-server")
        process.environment = try environment(settings, port: freePort(), folder: .temporaryDirectory)
        (process.standardError, process.standardOutput) = (errors, FileHandle.nullDevice)
        try await process.runToExit()
        // The report is shorter than what a pipe holds.
        let data = try errors.fileHandleForReading.readToEnd() ?? Data()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    // MARK: Starting

    /// A program that was built beside the tests.
    private static func program(_ name: String) -> URL {
        URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent().appending(path: name)
    }

    private static func environment(
        _ settings: [String: String], port: Int, folder: URL
    ) throws -> [String: String] {
        var environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder.path(percentEncoded: false), "TINTYPE_UNSIGNED": "true",
            "TINTYPE_BIND": "127.0.0.1:\(port)", "TINTYPE_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true",
            // A sanitizer slows the server down.
            "TINTYPE_TIMEOUT": "3600", "TINTYPE_DOWNLOAD_TIMEOUT": "3600", "TINTYPE_STALL_TIMEOUT": "3600",
        ]
        environment.merge(settings) { $1 }
        return environment.filter { !$1.isEmpty }
    }

    private static func freePort() throws -> Int {
        try #require(try ClosedPort().url.port)
    }

    /// Ends the server, and removes its folder, when the input ends.
    private static let script = #""$@" </dev/null >log & read -r _; kill -9 $!; cd /; rm -rf "$0" || rm -rf "$0""#

    private static func start(_ makeLaunch: (Int, URL) throws -> Launch) async throws -> ServerRun {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (process, life, errors, port) = (Process(), Pipe(), Pipe(), try freePort())
        process.executableURL = URL(filePath: "/bin/sh")
        process.currentDirectoryURL = folder
        let launch = try makeLaunch(port, folder)
        process.arguments =
            ["-c", script, folder.path(percentEncoded: false), program(launch.program).path(percentEncoded: false)]
            + launch.arguments
        process.environment = launch.environment
        (process.standardInput, process.standardOutput, process.standardError) = (life, FileHandle.nullDevice, errors)
        let ready = SharedPromise<Result<Void, Failure>>()
        let text = ReportedText()
        errors.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            let all = text.append(data)
            if all.contains(launch.readyLine) { ready.fulfill(.success(())) }
            if data.isEmpty || all.contains("the server ended") {
                ready.fulfill(.failure(Failure(message: all)))
                handle.readabilityHandler = nil
            }
        }
        try process.run()
        let server = ServerRun(port: port, folder: folder, life: life.fileHandleForWriting)
        do {
            try await ready.wait { .failure(Failure(message: "cancelled")) }.get()
        } catch {
            try? life.fileHandleForWriting.close()
            throw error
        }
        return server
    }
}

/// What a server has written so far.
private final class ReportedText: Sendable {
    private let text = Locked("")

    /// Returns the whole text.
    func append(_ data: Data) -> String {
        text.withLock { text in
            text += String(decoding: data, as: UTF8.self)
            return text
        }
    }
}
#endif
