import Foundation
import TintypeHTTP

/// What the log says about a request: one JSON object in one line.
///
/// It has neither the URL nor header fields of the request: both may have secrets. The source is its host alone.
struct AccessLogEntry: Hashable, Sendable {
    /// When the response was sent.
    var date: Date
    /// The identifier of the request.
    var requestID: String
    /// The method of the request.
    var method: String
    /// The status of the response; 499 if the client left before it.
    var status: Int
    /// The number of bytes of the body that were sent.
    var bytes = 0
    /// The time of the whole request.
    var duration = Duration.zero
    /// The code of the failure; `nil` for none.
    var code: String?
    /// The tier of the cache that had the rendition; `nil` if it was made.
    var tier: String?
    /// Where the request met another one, whose work it shared; `nil` if it shared none.
    var shared: String?
    /// Whether the source may have changed, but was used as it was.
    var isStale = false
    /// The URL of the source, of which the log has the host.
    var source: String?
    /// The media type of the response.
    var contentType: String?
    /// What the result has less of than its source; `nil` for nothing.
    var loss: String?
    /// The beginning of the key of the rendition.
    var key: String?
    /// The address of the client.
    var client: String?
    /// The identifier of the trace that the request belongs to.
    var trace: String?
    /// The time in the queue; `nil` without a wait.
    var queueing: Duration?
    /// The time of the download; `nil` without one.
    var download: Duration?
    /// The time of decoding and transforming; `nil` without it.
    var decoding: Duration?
    /// The time of encoding; `nil` without it.
    var encoding: Duration?

    /// The number of characters of a key that are logged.
    static let keyLength = 12
    private static let maximumTextLength = 256

    /// The line, without its end.
    var line: String {
        var object = JSONObjectText()
        object.add("time", HTTPDate.timestamp(date))
        object.add("level", status >= 500 ? "error" : status >= 400 ? "warning" : "info")
        object.add("id", short(requestID))
        object.add("method", short(method))
        object.add("status", status)
        object.add("bytes", bytes)
        object.add("ms", decimal: duration / .milliseconds(1))
        let texts = [
            ("code", code), ("tier", tier), ("shared", shared), ("stale", isStale ? "source" : nil),
            ("source_host", source.flatMap(SourceRedaction.host)),
            ("type", contentType), ("lost", loss), ("key", key.map { String($0.prefix(Self.keyLength)) }),
            ("client", client), ("trace", trace),
        ]
        for case (let name, let value?) in texts { object.add(name, short(value)) }
        let times = [
            ("queue_ms", queueing), ("download_ms", download), ("decode_ms", decoding), ("encode_ms", encoding),
        ]
        for case (let name, let time?) in times { object.add(name, decimal: time / .milliseconds(1)) }
        return object.text
    }

    private func short(_ text: String) -> String { String(text.prefix(Self.maximumTextLength)) }
}

/// Texts about sources without what may be secret in their URLs.
enum SourceRedaction {
    /// Returns the host of a URL; `nil` if it has none.
    static func host(_ url: String) -> String? {
        guard let authority = parts(url)?.authority, !authority.isEmpty else { return nil }
        return authority
    }

    /// Returns a URL without user, password, query and fragment, for a log.
    static func redacted(_ url: String) -> String {
        guard let (scheme, authority, path, hasMore) = parts(url) else { return "(no URL)" }
        return "\(scheme)://\(authority)\(path)\(hasMore ? "?(redacted)" : "")"
    }

    private static func parts(
        _ url: String
    ) -> (scheme: Substring, authority: String, path: Substring, hasMore: Bool)? {
        guard let mark = url.firstRange(of: "://"), !url[..<mark.lowerBound].isEmpty else { return nil }
        let scheme = url[..<mark.lowerBound]
        guard scheme.utf8.allSatisfy({ (0x2B...0x7A).contains($0) && $0 != UInt8(ascii: "/") }) else { return nil }
        let rest = url[mark.upperBound...]
        let end = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
        // Everything up to the last `@` belongs to the user.
        let start = rest[..<end].lastIndex(of: "@").map { rest.index(after: $0) } ?? rest.startIndex
        let pathEnd = rest[end...].firstIndex { "?#".contains($0) } ?? rest.endIndex
        return (scheme, rest[start..<end].lowercased(), rest[end..<pathEnd], pathEnd < rest.endIndex)
    }
}
