import Foundation
import HTTPTestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Serves transfers that break off, and looks into the folder of a ``PartialStore``.
protocol InterruptedTransfers {}

extension InterruptedTransfers {
    /// Serves ranges of an image with an entity tag, after some other responses.
    func serve(
        _ origin: Origin, first: [OriginResponse], tag: String = "\"1\"", body: Data = Fixture.body
    ) {
        let left = Shared(first[...])
        origin.serve("/a") { request in
            if let response = left.withLock({ $0.popFirst() }) { return response }
            return .range(of: body, tag: tag, for: request)
        }
    }

    /// An image whose transfer breaks off after 20,000 bytes.
    static var cut: OriginResponse {
        .testImage.with(header: "ETag", value: "\"1\"").setting(\.ending, to: .cut(after: 20_000))
    }

    func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-partial-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    func configuration(_ folder: URL, budget: Int = 1 << 20) -> DownloaderConfiguration {
        var configuration = DownloaderConfiguration.patient
        configuration.partials = PartialStore(folder: folder, maximumByteCount: budget, minimumByteCount: 1)
        return configuration
    }

    func names(_ folder: URL) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    }

    func files(_ folder: URL) -> [String] {
        // Names are digests of 64 digits. A file that is being written has another name.
        names(folder).filter { $0.count == 64 }
    }

    /// Waits for work in the background.
    func wait(until condition: () -> Bool) async { while !condition() { await Task.yield() } }

    /// Returns a source whose first transfer was interrupted, after its bytes are in `folder`.
    func interruptedSource(_ origin: Origin, in folder: URL) async throws -> ImageSource {
        serve(origin, first: [Self.cut])
        let (source, downloader) = (ImageSource.url(origin.url("/a")), Downloader(configuration(folder)))
        await Fixture.expect(.truncatedBody) { try await Fixture.load(source, downloader) }
        try await downloader.flush()
        return source
    }
}

extension OriginResponse {
    /// Returns the range of an image that a request asks for, or else the whole image.
    fileprivate static func range(of body: Data, tag: String, for request: OriginRequest) -> OriginResponse {
        let response = OriginResponse.image(body, type: "image/png").with(header: "ETag", value: tag)
        guard let range = request[header: "range"], request[header: "if-range"] == tag,
            let start = Int(range.dropFirst("bytes=".count).dropLast())
        else { return response }
        return response.setting(\.status, to: 206).setting(\.body, to: Data(body[start...]))
            .with(header: "Content-Range", value: "bytes \(start)-\(body.count - 1)/\(body.count)")
    }
}
