import Foundation
import TintypeCore
import TintypeDisk
import TintypeHTTP

/// Answers the requests of clients from a pipeline, under the origin's caching rules.
///
/// The pipeline decides what is stored, used again and revalidated. This type adds only what a server does for its own
/// clients: conditional requests, ranges and the `Age` field.
struct ProxyCache: Sendable {
    private let origin: URL
    private let carrier: FieldCarrier
    private let pipeline: ImagePipeline

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - folder: The folder of the disk cache.
    ///   - carrier: How the header fields of clients reach the pipeline.
    init(origin: URL, folder: URL, carrier: FieldCarrier) {
        self.origin = origin
        self.carrier = carrier
        var downloads = DownloaderConfiguration()
        downloads.acceptableStatusCodes = 200..<1000
        downloads.maximumRedirects = 0
        downloads.maximumConcurrentDownloads = 64
        downloads.connectionsPerHost = 64
        downloads.storedHeaders = nil
        downloads.proxy = .direct
        downloads.interceptors = [EmptyBodyMarker()]
        var configuration = PipelineConfiguration()
        configuration.loaders = [Downloader(downloads)]
        configuration.cache = ImageCache(disk: DiskCache(directory: folder))
        pipeline = ImagePipeline(configuration)
    }

    /// Returns the response to a client.
    func response(to request: ProxyRequest) async -> ProxyResponse {
        do throws(TintypeError) {
            let response = try await pipeline.response(for: imageRequest(for: request))
            guard let http = response.http else { return Self.failure(500, "the pipeline has no response") }
            return Self.response(response, http, to: request)
        } catch {
            FileHandle.standardError.write(Data("\(request.method) \(request.target): \(error)\n".utf8))
            return Self.failure(error.code == .notCached ? 504 : 502, "\(error)")
        }
    }

    private static func failure(_ status: Int, _ message: String) -> ProxyResponse {
        ProxyResponse(status: status, fields: [("Content-Type", "text/plain")], body: Data("\(message)\n".utf8))
    }

    // MARK: Requests

    private func imageRequest(for request: ProxyRequest) -> ImageRequest {
        let url = URL(string: origin.absoluteString + request.target) ?? origin
        let fields = Self.forwardedFields(of: request)
        let source = HTTPSource(url: url, method: request.method, headers: carrier == .request ? fields : [:])
        var image = ImageRequest(source: .http(source))
        // The header fields are not part of the key: `Vary` decides which of them count.
        image.identity = request.method == "GET" ? url.absoluteString : "\(request.method) \(url.absoluteString)"
        image.rendition.decode.decoder = NamedDecoder(id: "any", decoder: AnyBytesDecoder())
        image.policy.freshness = .http
        image.policy.failureMemory = .ignored
        image.policy.delivery.data = .always
        let added = carrier == .interceptor ? fields : [:]
        if !added.isEmpty || !request.body.isEmpty {
            image.http.interceptors = [ClientFields(fields: added, body: request.body)]
        }
        return image
    }

    /// The fields that reach the origin: all but those of this connection, and those that the proxy answers itself.
    private static func forwardedFields(of request: ProxyRequest) -> [String: String] {
        let own: Set = [
            "accept-encoding", "connection", "content-length", "host", "if-modified-since", "if-none-match",
            "keep-alive", "range", "te", "transfer-encoding", "upgrade",
        ]
        let fields = request.fields.filter { !own.contains($0.name.lowercased()) }
        return Dictionary(fields.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
    }

    // MARK: Responses

    private static func response(
        _ image: ImageResponse, _ http: HTTPResponseInfo, to request: ProxyRequest
    ) -> ProxyResponse {
        var fields = http.headers.all.filter { $0.name.lowercased() != "content-length" }
        if image.origin != .network {
            fields.removeAll { $0.name.lowercased() == "age" }
            fields.append(("Age", "\(Int(http.age()))"))
        }
        let data = image.data == EmptyBodyMarker.marker ? Data() : image.data ?? Data()
        let conditions = HTTPFields(request.fields)
        if http.status == 200, http.isUnmodified(for: conditions) {
            return ProxyResponse(status: 304, fields: fields, body: Data())
        }
        guard http.status == 200, let range = conditions["range"].flatMap({ ByteRange($0, of: data.count) }) else {
            return ProxyResponse(status: http.status, fields: fields, body: data)
        }
        fields.append(("Content-Range", "bytes \(range.bytes.lowerBound)-\(range.bytes.upperBound)/\(data.count)"))
        return ProxyResponse(status: 206, fields: fields, body: Data(Array(data)[range.bytes]))
    }
}

/// The range that a client asks for (RFC 9110, 14.1.2).
private struct ByteRange {
    let bytes: ClosedRange<Int>

    /// - Returns: `nil` for anything other than one satisfiable range.
    init?(_ text: String, of count: Int) {
        let ends = text.trimmingPrefix("bytes=").split(separator: "-", omittingEmptySubsequences: false)
        guard text.hasPrefix("bytes="), ends.count == 2, count > 0 else { return nil }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?) where first <= last && first < count: bytes = first...min(last, count - 1)
        case (let first?, nil) where ends[1].isEmpty && first < count: bytes = first...(count - 1)
        case (nil, let length?) where ends[0].isEmpty && length > 0: bytes = max(0, count - length)...(count - 1)
        default: return nil
        }
    }
}
