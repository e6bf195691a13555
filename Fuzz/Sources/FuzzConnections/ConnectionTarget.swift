import Foundation
import FuzzSupport

@testable import TintypeCore
@testable import TintypeHTTP

/// A server that misbehaves as an input says, and a downloader that uses it.
///
/// Thrown errors are fine. The preconditions find requests that do not end, and a downloader that is unusable
/// afterwards.
struct ConnectionTarget: Sendable {
    private let origin: any FuzzOrigin
    private let downloader: Downloader
    private let descriptors = DescriptorCheck()

    /// The largest body that is accepted.
    private static let maximumByteCount = 1 << 20
    /// The longest time of a request, also on a busy machine. The time limits on connecting and on idleness apply
    /// earlier, also along redirects, so a request that takes as long is one that only the limit on the total time
    /// would end.
    private static let longestTime = Duration.seconds(30)
    /// More than ``longestTime``.
    private static let totalTimeout = Duration.seconds(50)
    /// The time in which a good response must arrive after an input. The first requests may meet connections that
    /// close, and a busy machine exceeds the short limits of the configuration.
    private static let recoveryTime = Duration.seconds(30)

    init?(environment: [String: String]) async {
        let origin: (any FuzzOrigin)? =
            switch environment["TINTYPE_FUZZ"] {
            case "http1": try? ByteOrigin()
            case "http2" where CurlTransport.usesHTTP2:
                try? await FrameScriptOrigin(identity: environment["TINTYPE_FUZZ_IDENTITY"] ?? "")
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
        configuration.idleTimeout = .milliseconds(50)
        configuration.totalTimeout = totalTimeout
        configuration.maximumRedirects = 3
        configuration.maximumByteCount = maximumByteCount
        configuration.proxy = .direct
        configuration.hostsWithUncheckedCertificates = ["127.0.0.1"]
        return configuration
    }

    /// Sends the requests that an input asks for, and then one to the same server, which now behaves.
    func run(_ input: FuzzInput) async {
        var input = input
        let plan = RequestPlan(choices: input.byte())
        downloader.configuration.cookies.clear()
        origin.begin(&input)
        if plan.isConcurrent {
            await withTaskGroup { group in
                for number in 0..<plan.count { group.addTask { await request(number, plan) } }
            }
        } else {
            for number in 0..<plan.count { await request(number, plan) }
        }
        await origin.end()
        await recover()
        descriptors.check()
    }

    private func request(_ number: Int, _ plan: RequestPlan) async {
        let start = ContinuousClock.now
        let download = downloader.download(
            .url(origin.url.appending(path: "\(number)")), options: plan.options(of: number))
        if plan.isCancelled(number) {
            await Task.yield()
            download.cancel()
        }
        do throws(TintypeError) {
            let count = try await download.bytes.data.count
            precondition(count <= Self.maximumByteCount, "the limit on the size of a body does not apply")
        } catch {
            precondition(
                error.code != .cancelled || plan.isCancelled(number),
                "the download reports a cancellation that was not requested")
        }
        precondition(ContinuousClock.now - start < Self.longestTime, "no limit but the total time ends the request")
    }

    /// Requests a good response. Whatever the server did before, the downloader must be able to receive it.
    private func recover() async {
        origin.behave()
        let start = ContinuousClock.now
        var failure: TintypeError?
        while ContinuousClock.now - start < Self.recoveryTime {
            do throws(TintypeError) {
                let data = try await downloader.download(.url(origin.url.appending(path: "good"))).bytes.data
                precondition(data == FuzzGoodResponse.body, "a good response has another body")
                return
            } catch {
                failure = error
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        // Printed in optimized programs as well.
        fatalError("good responses fail: \(failure.map { "\($0)" } ?? "")")
    }
}

/// The requests that the first byte of an input asks for.
struct RequestPlan: Sendable {
    private let choices: UInt8

    init(choices: UInt8) {
        self.choices = choices
    }

    var count: Int { 1 + Int(choices & 3) }

    var isConcurrent: Bool { choices & 4 != 0 }

    /// Whether the caller cancels the request while it runs.
    func isCancelled(_ number: Int) -> Bool { choices & 0x80 != 0 && number == 1 }

    /// The options of a request: cookies, and a method with or without a body.
    func options(of number: Int) -> HTTPOptions {
        var options = HTTPOptions()
        options.usesCookies = choices & 0x08 != 0
        let method = choices & 0x10 != 0 && number == 0 ? "HEAD" : choices & 0x20 != 0 ? "POST" : "GET"
        let body = method == "POST" ? Data(count: isLarge ? 100_000 : 10) : nil
        guard method != "GET" || hasLargeHead else { return options }
        options.interceptors = [
            DownloadModifier.request(id: "\(method) \(choices)") { [hasLargeHead] request in
                var request = request
                request.method = method
                request.body = body
                if hasLargeHead { request.headers["x-large"] = String(repeating: "a", count: 100_000) }
                return request
            }
        ]
        return options
    }

    private var isLarge: Bool { choices & 0x40 != 0 }

    /// Whether the heads of requests are larger than the buffer of a socket.
    private var hasLargeHead: Bool { choices & 0x50 == 0x50 }
}

/// A server whose behaviour an input determines.
protocol FuzzOrigin: Sendable {
    /// The URL of the server.
    var url: URL { get }
    /// Takes the behaviour for the next requests from an input.
    func begin(_ input: inout FuzzInput)
    /// Closes all connections.
    func end() async
    /// Answers the next requests with ``FuzzGoodResponse``.
    func behave()
}

/// The response of a server that behaves.
enum FuzzGoodResponse {
    static let body = Data([1, 2, 3])
}
