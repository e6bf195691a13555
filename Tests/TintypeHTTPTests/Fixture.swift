import Foundation
import HTTPTestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// An origin and a downloader for one test.
enum Fixture {
    static let body = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    #if TINTYPE_TSAN
    // The thread sanitizer slows TLS so much that connections are opened, or given up, which are not otherwise.
    static let connectsInTime = false
    #else
    static let connectsInTime = true
    #endif

    /// Whether the installed libcurl is used for HTTP/2. CI sets `TINTYPE_LIBCURL` to one that is.
    static let hasHTTP2 = CurlTransport.usesHTTP2

    typealias Load = @Sendable (String) async throws -> LoadedBytes

    /// Runs a test with an origin of its own and a downloader, and stops the origin after it.
    static func withOrigin<Value>(
        _ configuration: DownloaderConfiguration = DownloaderConfiguration.patient, limit: Int = 1 << 20,
        options: HTTPOptions = HTTPOptions(), identity: OriginIdentity? = nil,
        _ body: (Origin, @escaping Load) async throws -> Value
    ) async throws -> Value {
        let downloader = Downloader(configuration)
        return try await withOrigin(identity: identity) { origin in
            try await body(origin) { path in
                try await load(.url(origin.url(path)), downloader, limit: limit, options: options)
            }
        }
    }

    static func withOrigin<Value>(
        identity: OriginIdentity? = nil, _ body: (Origin) async throws -> Value
    ) async throws -> Value {
        let origin = try await Origin.start(identity)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(origin))
        } catch {
            result = .failure(error)
        }
        await origin.stop()
        return try result.get()
    }

    static func load(
        _ source: ImageSource, _ downloader: Downloader, limit: Int = 1 << 20, options: HTTPOptions = HTTPOptions(),
        stored: CacheEntry? = nil
    ) async throws(TintypeError) -> LoadedBytes {
        var request = ImageRequest(source: source)
        request.http = options
        let context = LoadContext(
            received: ReceivedBytes(limit: limit), job: JobContext(priority: .normal), extras: request.extras,
            stored: stored)
        return try await downloader.load(source, context: context)
    }

    @discardableResult
    static func expect(
        _ code: TintypeError.Code, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> LoadedBytes
    ) async -> TintypeError? {
        do {
            _ = try await body()
            Issue.record("expected \(code)", sourceLocation: sourceLocation)
        } catch let error as TintypeError {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
            return error
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
        return nil
    }

    /// A clock that stands still. Sleeping records the duration, advances the clock and returns at once.
    static func clock(_ delays: Shared<[Duration]>, _ manual: ManualClock = ManualClock()) -> TransferClock {
        TransferClock(
            uptime: { manual.uptime }, date: { manual.date },
            sleep: { duration in
                delays.withLock { $0.append(duration) }
                manual.advance(by: duration)
                try Task.checkCancellation()
            }, random: { 0 })
    }
}

extension Downloader {
    /// Starts a transfer, and returns when so many bytes have arrived.
    func download(_ source: ImageSource, untilReceived count: Int) async -> Download {
        let received = Shared(0)
        let download = download(source) { progress in received.withLock { $0 = progress.received } }
        await received.wait { $0 >= count }
        return download
    }
}

extension OriginResponse {
    static let testImage = OriginResponse.image(Fixture.body, type: "image/png")
}
