import Foundation
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// The target that `TINTYPE_FUZZ` in the environment names: `http1` or `http2`.
private let target = wait { await ConnectionTarget(environment: ProcessInfo.processInfo.environment) }

/// The function that libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else {
        print("TINTYPE_FUZZ must be http1 or http2, and TINTYPE_FUZZ_IDENTITY a file with a key and a certificate")
        exit(2)
    }
    let input = FuzzInput(UnsafeBufferPointer(start: start, count: count))
    wait { await target.run(input) }
    return 0
}

/// Blocks the fuzzer's thread until `body` has returned.
private func wait<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
    let (done, result) = (DispatchSemaphore(value: 0), Shared<Value?>(nil))
    Task.detached {
        let value = await body()
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    guard let value = result.now else { preconditionFailure("the semaphore is signalled after the result is set") }
    return value
}

/// A server that misbehaves as an input says, and a downloader that uses it.
struct ConnectionTarget: Sendable {
    private let origin: any FuzzOrigin
    private let downloader: Downloader

    init?(environment: [String: String]) async {
        let origin: (any FuzzOrigin)? =
            switch environment["TINTYPE_FUZZ"] {
            case "http1": try? ByteOrigin()
            case "http2": try? await FrameScriptOrigin(identity: environment["TINTYPE_FUZZ_IDENTITY"] ?? "")
            default: nil
            }
        guard let origin else { return nil }
        self.origin = origin
        downloader = Downloader(Self.configuration)
    }

    private static var configuration: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.connectionsPerHost = 2
        configuration.connectTimeout = .milliseconds(500)
        configuration.idleTimeout = .milliseconds(100)
        configuration.totalTimeout = .seconds(3)
        configuration.maximumRedirects = 3
        configuration.maximumByteCount = 1 << 20
        configuration.proxy = .direct
        configuration.hostsWithUncheckedCertificates = ["127.0.0.1"]
        return configuration
    }

    /// Sends the requests that an input asks for. Every error is fine, except that nothing was cancelled.
    func run(_ input: FuzzInput) async {
        var input = input
        let choices = input.byte()
        origin.begin(&input)
        let count = 1 + Int(choices & 3)
        let areConcurrent = choices & 4 != 0
        var running: [Download] = []
        for number in 0..<count {
            let download = downloader.download(
                .url(origin.url.appending(path: "\(number)")), options: Self.options(choices >> 3, number))
            running.append(download)
            if !areConcurrent { await check(download) }
        }
        if areConcurrent { for download in running { await check(download) } }
        await origin.end()
    }

    private func check(_ download: Download) async {
        do throws(TintypeError) {
            _ = try await download.bytes
        } catch {
            precondition(error.code != .cancelled, "the download reports a cancellation that was not requested")
        }
    }

    /// The options of a request: a method with or without a body, and cookies.
    private static func options(_ choices: UInt8, _ number: Int) -> HTTPOptions {
        var options = HTTPOptions()
        options.usesCookies = choices & 1 != 0
        let method = choices & 2 != 0 && number == 0 ? "HEAD" : choices & 4 != 0 ? "POST" : "GET"
        if method != "GET" {
            let body = method == "POST" ? Data(count: choices & 8 != 0 ? 100_000 : 10) : nil
            options.interceptors = [
                DownloadRequestModifier(id: "\(method) \(choices)") { request in
                    var request = request
                    request.method = method
                    request.body = body
                    return request
                }
            ]
        }
        return options
    }
}

/// A server whose behaviour an input determines.
protocol FuzzOrigin: Sendable {
    /// The URL of the server.
    var url: URL { get }
    /// Takes the behaviour for the next requests from an input.
    func begin(_ input: inout FuzzInput)
    /// Closes all connections.
    func end() async
}

/// Reads choices and bytes from an input. After its end, everything is zero or empty.
struct FuzzInput: Sendable {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = ArraySlice(bytes)
    }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    /// Reads an unsigned number of up to four bytes, the highest first.
    mutating func number(bytes count: Int) -> UInt32 {
        (0..<count).reduce(0) { number, _ in number << 8 | UInt32(byte()) }
    }

    /// Takes up to `count` bytes.
    mutating func take(_ count: Int) -> Data {
        defer { bytes = bytes.dropFirst(count) }
        return Data(bytes.prefix(count))
    }

    /// The remaining bytes, split where two zero bytes are.
    var pieces: [[UInt8]] {
        var pieces: [[UInt8]] = [[]]
        for (index, byte) in bytes.enumerated() {
            let next = bytes.dropFirst(index + 1).first
            if byte == 0, next == 0 { pieces.append([]) } else { pieces[pieces.count - 1].append(byte) }
        }
        return pieces
    }
}
