public import Foundation
public import TintypeCore

/// The HTTP response that an image was decoded from, received from the network or read from a cache.
public struct HTTPResponseInfo: Hashable, Sendable {
    private let stored: StoredResponse

    /// The status, stored header fields and times that decide how long the response is fresh.
    package var head: StoredHead { stored.head }

    /// The URL that the response came from, after all redirects; `nil` for a response from a cache, which does not
    /// store the URL, because that of a redirect may be a secret.
    ///
    /// If `isRedirected` is `false`, it is the URL of the request in any case, or the same over TLS
    /// (``DownloaderConfiguration/usesHSTS``).
    public let url: URL?

    /// The header fields, as the origin sent them. A response from a cache has those that
    /// ``DownloaderConfiguration/storedHeaders`` selects, and a revalidation updates them.
    public let headers: HTTPFields

    /// Creates the description of the response that `bytes` came from.
    ///
    /// - Returns: `nil` if the bytes did not come from an HTTP response.
    init?(of bytes: LoadedBytes) {
        if let record = bytes.record as? TransferRecord {
            (stored, url, headers) = (record.stored, record.url, StoredHeaderFields.all.stored(of: record.headers))
        } else {
            guard let stored = StoredResponse(decoding: bytes.metadata) else { return nil }
            (self.stored, url, headers) = (stored, nil, stored.head.headers)
        }
    }

    /// The status code.
    public var status: Int { stored.head.status }

    /// Whether the response came after at least one redirect.
    package var isRedirected: Bool { stored.target != nil }

    /// Returns the age of the response in seconds: the time since the origin generated or confirmed it (RFC 9111,
    /// 4.2.3). A server that passes the image on sends it in the `Age` field.
    public func age(at now: Date = Date()) -> Double { stored.head.age(at: now) }

    /// Returns whether a client with these conditions has the image already, so that a server may answer 304 (RFC 9110,
    /// 13.1.2 and 13.1.3). A response without `Last-Modified` counts as modified when it was generated (RFC 9111,
    /// 4.3.2).
    ///
    /// - Parameter conditions: The header fields of the client's request. Without `If-None-Match` and
    ///   `If-Modified-Since`, the result is `false`.
    package func isUnmodified(for conditions: HTTPFields) -> Bool {
        stored.head.isUnmodified(for: conditions, headers)
    }
}

extension StoredHead {
    /// Returns whether a client with these conditions has the response. See ``HTTPResponseInfo/isUnmodified(for:)``.
    ///
    /// - Parameter headers: The header fields of the response.
    package func isUnmodified(for conditions: HTTPFields, _ headers: HTTPFields) -> Bool {
        if conditions.contains("if-none-match") {
            guard let tag = headers["etag"].map(EntityTag.init) else { return false }
            return conditions.list("if-none-match").contains { $0 == "*" || EntityTag($0).isWeaklyEqual(to: tag) }
        }
        guard let date = conditions["if-modified-since"].flatMap(HTTPDate.parse) else { return false }
        return (headers["last-modified"].flatMap(HTTPDate.parse) ?? self.date) <= date
    }
}

/// An entity tag (RFC 9110, 8.8.3).
package struct EntityTag: Hashable, Sendable {
    /// The tag as in a header field, such as `"a"` or `W/"a"`.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Whether the tag may be the same for different bytes (RFC 9110, 8.8.1).
    package var isWeak: Bool { text.hasPrefix("W/") }

    /// Whether both have the same opaque tag; either may be weak (RFC 9110, 8.8.3.2).
    package func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }

    private var opaque: Substring { isWeak ? text.dropFirst(2) : text[...] }
}

extension ImageResponse {
    /// The HTTP response that the image was made of, with its status, header fields and final URL. `nil` if the image
    /// is not from HTTP, or if a cache had the rendition, as pixels or encoded, so that the load did not read the
    /// original.
    ///
    /// A load under ``TintypeCore/LoadPolicy/Freshness/http`` always has it.
    public var http: HTTPResponseInfo? { bytes.flatMap { HTTPResponseInfo(of: $0) } }
}

extension LoadedBytes {
    /// The HTTP response that the bytes are from; `nil` if they came from elsewhere.
    public var http: HTTPResponseInfo? { HTTPResponseInfo(of: self) }
}
