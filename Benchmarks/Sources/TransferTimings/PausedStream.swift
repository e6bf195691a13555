import Foundation
import Timing
import TintypeCore
import TintypeHTTP

/// Measures how much memory a stream of HTTP/2 holds that is not read, because a rate limit holds it back.
///
/// `scripts/bench/measure-transfers` starts an nginx with TLS, and names a libcurl that is new enough.
struct PausedStream {
    let origin: URL
    /// The path of the origin's certificate.
    let certificate: String

    func measure() async throws {
        var configuration = DownloaderConfiguration()
        configuration.trustedCertificates = [try String(contentsOfFile: certificate, encoding: .utf8)]
        configuration.maximumByteCount = 2 << 30
        let downloader = Downloader(configuration)
        // Opens the connection.
        let first = try await downloader.download(.url(origin.appending(path: "small.jpg"))).bytes
        try check(first.metrics?.httpVersion == "http/2")
        let before = try ProcessStatus().residentBytes
        downloader.configuration.maximumBytesPerSecond = 1_000
        let download = downloader.download(.url(origin.appending(path: "large.jpg")))
        while download.progress.received == 0 { try await Task.sleep(for: .milliseconds(20)) }
        // nginx sends what the window of the stream allows.
        try await Task.sleep(for: .seconds(3))
        let bytes = try ProcessStatus().residentBytes - before
        // Other streams of the connection go on.
        downloader.configuration.maximumBytesPerSecond = nil
        let other = try await downloader.download(.url(origin.appending(path: "30k.bin"))).bytes
        try check(other.metrics?.isConnectionReused == true)
        download.cancel()
        print("a stream that is not read holds \((Double(bytes) / 1e6).rounded(1)) MB (goal 4)")
    }
}
