import Foundation
import TintypeCore
import TintypeHTTP
import TintypeTesting

@testable import TintypeS3

/// A server of moto, which answers as AWS does, with its error documents and its checks of permissions.
///
/// It is started by the first test that uses it, and ends with the process.
///
/// `scripts/check/moto` installs it. The environment variable `TINTYPE_MOTO` names the Python that has it.
final class MotoServer: Sendable {
    static let python = ProcessInfo.processInfo.environment["TINTYPE_MOTO"].flatMap { $0.isEmpty ? nil : $0 }
    static let isInstalled = python.map { access($0, X_OK) == 0 } ?? false
    static let isRequired = ProcessInfo.processInfo.environment["TINTYPE_CI"] != nil

    /// The buckets. The second one keeps versions.
    static let bucket = "photos"
    static let versionedBucket = "versions"

    /// The users that the server has.
    enum User: String {
        /// May do everything.
        case writer
        /// May get objects, and list them.
        case reader
        /// Had keys that were deleted.
        case revoked
        /// Has keys with a session token.
        case temporary
    }

    private static let checking = Task { try await start() }
    private static let open = Task { try await start("open") }

    /// The server, which checks signatures and permissions.
    static var shared: MotoServer { get async throws { try await checking.value } }

    /// A server that checks neither, and so accepts all keys of objects.
    static var unchecked: MotoServer { get async throws { try await open.value } }

    let endpoint: URL
    private let users: [String: [String]]
    private let process: Process
    /// The end of this process closes it, even a crash, which ends the server.
    private let life: FileHandle

    private init(_ report: Report, process: Process, life: FileHandle) {
        (endpoint, users) = (report.endpoint, report.users)
        (self.process, self.life) = (process, life)
    }

    /// Returns the keys of a user.
    func credentials(of user: User) -> S3Credentials? {
        guard let keys = users[user.rawValue], keys.count >= 2 else { return nil }
        return S3Credentials(accessKeyID: keys[0], secretAccessKey: keys[1], sessionToken: keys.dropFirst(2).first)
    }

    /// Returns a client with patient limits, whose pauses take no time.
    func client(
        bucket: String = bucket, as user: User = .writer, _ change: (inout S3Configuration) -> Void = { _ in }
    ) throws -> S3Client {
        var configuration = S3Configuration(bucket: bucket, endpoint: endpoint, credentials: credentials(of: user))
        let patient = S3Limits(
            connecting: .seconds(60), firstByte: .seconds(60), idle: .seconds(60), attempt: .seconds(60),
            total: .seconds(60), maximumRetries: 1, retriesTimeouts: false)
        (configuration.requestLimits, configuration.backgroundLimits) = (patient, patient)
        configuration.sourceLimits = patient
        configuration.clock.sleep = { _ in try Task.checkCancellation() }
        change(&configuration)
        return try S3Client(configuration)
    }

    /// Returns the name of an object that no other test uses.
    func object(_ key: String = "object", in bucket: String = bucket, test: String = #function) -> S3Object {
        S3Object(bucket: bucket, key: "\(test.prefix { $0 != "(" })/\(key)")
    }

    // MARK: Starting

    /// What the server prints when it is ready.
    private struct Report: Decodable {
        let endpoint: URL
        let users: [String: [String]]
    }

    private struct StartFailure: Error {
        let output: String
    }

    private static func start(_ arguments: String...) async throws -> MotoServer {
        guard let python, let script = Bundle.module.url(forResource: "Fixtures/moto-server", withExtension: "py")
        else { throw POSIXError(.ENOENT) }
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: python)
        process.arguments = ["-B", script.path(percentEncoded: false)] + arguments
        // Neither a proxy nor the settings of the machine's user for AWS.
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
        try process.run()
        let ready = SharedPromise<Result<Report, StartFailure>>()
        let reader = output.fileHandleForReading
        Thread.detachNewThread { read(reader, ready) }
        let report = try await ready.wait { nil }.get()
        return MotoServer(report, process: process, life: input.fileHandleForWriting)
    }

    /// Reads what the server prints, until it ends.
    private static func read(_ output: FileHandle, _ ready: SharedPromise<Result<Report, StartFailure>>) {
        var bytes = Data()
        while case let more = output.availableData, !more.isEmpty {
            bytes += more
            let lines = bytes.split(separator: UInt8(ascii: "\n"))
            guard let report = lines.lazy.compactMap({ try? JSONDecoder().decode(Report.self, from: $0) }).last else {
                continue
            }
            ready.fulfill(.success(report))
            bytes = Data()
        }
        ready.fulfill(.failure(StartFailure(output: String(decoding: bytes, as: UTF8.self))))
    }
}
