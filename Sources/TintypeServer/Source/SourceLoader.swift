import Foundation
import TintypeCore
import TintypeHTTP
import TintypeTLS

/// The bytes of a source and what is known of them.
struct SourceImage: Sendable {
    let data: Data
    let record: SourceRecord
    /// Where the bytes came from.
    let origin: ImageOrigin
}

/// Loads sources through the pipeline, under the caching rules of their origins.
struct SourceLoader: Sendable {
    /// The fields of downloads. The pipeline then uses no stale source, with or without a revalidation in the
    /// background (RFC 9111, 5.2.1.3): the service decides about that.
    static let fields = ["Cache-Control": "min-fresh=0"]

    private let pipeline: ImagePipeline
    private let localRoot: URL?

    /// - Parameters:
    ///   - pipeline: Loads and caches the bytes of sources.
    ///   - localRoot: The folder of `local:` URLs; `nil` refuses them.
    init(_ pipeline: ImagePipeline, localRoot: URL? = nil) {
        self.pipeline = pipeline
        self.localRoot = localRoot?.standardizedFileURL.resolvingSymlinksInPath()
    }

    /// Loads a source, or takes it from a cache if the origin allows that.
    ///
    /// Equal loads at the same time are one.
    ///
    /// - Parameter fromCacheOnly: Whether the origin is not asked, so that a stale source is returned as it is.
    /// - Throws: Also if nothing is in the cache.
    func load(_ source: SourceURL, fromCacheOnly: Bool = false) async throws(Failure) -> SourceImage {
        var request = ImageRequest(source: try imageSource(source))
        // Equal sources have equal names, so the name need not be part of the identifier.
        request.rendition.decode.decoder = NamedDecoder(
            id: "header", decoder: HeaderDecoder(coders: pipeline.configuration.coders, name: source.path))
        request.policy.freshness =
            fromCacheOnly ? .cacheOnly : source.scheme.hasPrefix("http") ? .http : .cached
        request.policy.failureMemory = .ignored
        request.policy.delivery.data = .always
        request.policy.caching.rendition = CacheRules(memory: .off, disk: .off)
        let response: ImageResponse
        do throws(TintypeError) {
            response = try await pipeline.response(for: request)
        } catch {
            throw Failure(error)
        }
        guard let data = response.data else {
            throw Failure(.internalError, code: "noBytes", detail: "the pipeline returned no bytes")
        }
        return SourceImage(data: data, record: record(of: response, data), origin: response.origin)
    }

    private func record(of response: ImageResponse, _ data: Data) -> SourceRecord {
        let now = Date()
        let head = response.http?.head
        return SourceRecord(
            digest: SystemDigest.sha256(data).hexadecimal, info: response.image.info, byteCount: data.count,
            lastModified: head?.headers["last-modified"].flatMap(HTTPDate.parse),
            freshness: head.map { SourceFreshness($0, now: now) } ?? .unstated, confirmed: now)
    }

    /// Returns the pipeline's source for a URL.
    ///
    /// Only the schemes of image URLs are loaded: the pipeline also reads files and data URLs, which a client must not
    /// name.
    private func imageSource(_ source: SourceURL) throws(Failure) -> ImageSource {
        switch source.scheme {
        case "local": return .url(try localFile(source))
        case "http", "https", "s3":
            guard let url = source.url else {
                throw Failure(.invalidRequest, code: "invalidSource", detail: "\(source.text) is no valid URL")
            }
            return .url(url)
        default:
            throw Failure(
                .forbiddenSource, code: "forbidden", detail: "the scheme of a source must be http, https, s3 or local")
        }
    }

    /// Returns the file of a `local:` URL. Links are resolved first, so that none leads out of the folder.
    private func localFile(_ source: SourceURL) throws(Failure) -> URL {
        guard let localRoot else {
            throw Failure(
                .forbiddenSource, code: "forbidden", detail: "local files are not served: no folder is configured")
        }
        let path = (source.host + source.path).removingPercentEncoding ?? ""
        let file = localRoot.appending(path: path, directoryHint: .notDirectory).standardizedFileURL
            .resolvingSymlinksInPath()
        guard !path.utf8.contains(0), file.path.hasPrefix(localRoot.path + "/") else {
            throw Failure(
                .forbiddenSource, code: "forbidden", detail: "\(source.text) is not below the folder of local files")
        }
        return file
    }
}
