import Foundation
import TintypeCore

/// The metadata that is stored with the body of a response: what RFC 9111 needs to decide whether to use it again.
struct StoredResponse: Hashable, Sendable {
    var status: Int
    /// The header fields in ``storedNames``.
    var headers: HTTPFields
    /// The digests of the request's fields that `Vary` names. The values may hold secrets.
    var selected: [String: String]
    /// The time at which the request was sent.
    var requested: Date
    /// The time at which the head of the response arrived.
    var received: Date

    /// The names of the fields that concern caching or describe the body.
    private static let storedNames: Set<String> = [
        "age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "pragma", "vary",
    ]

    init(_ response: DownloadResponse, to request: DownloadRequest, _ times: ExchangeTimes) {
        status = response.status
        headers = Self.relevant(response.headers)
        selected = Self.selected(by: headers, of: request)
        requested = times.sent
        received = times.answered
    }

    init(status: Int, headers: HTTPFields, selected: [String: String] = [:], requested: Date, received: Date) {
        self.status = status
        self.headers = headers
        self.selected = selected
        self.requested = requested
        self.received = received
    }

    /// Returns this response with the fields of a 304 response, which replace those of the same name (RFC 9111, 3.2 and
    /// 4.3.4).
    func renewed(by other: StoredResponse) -> StoredResponse {
        var renewed = self
        renewed.headers.replace(with: other.headers)
        // An age that is not repeated belongs to the old response.
        if !other.headers.contains("age") { renewed.headers["age"] = nil }
        renewed.requested = other.requested
        renewed.received = other.received
        return renewed
    }

    /// Adds the fields that make a request conditional on a change (RFC 9111, 4.3.1).
    func addConditions(to headers: inout HTTPFields) {
        if let tag = self.headers["etag"] { headers["If-None-Match"] = tag }
        if let date = self.headers["last-modified"] { headers["If-Modified-Since"] = date }
    }

    /// Whether a request has the same values in all fields that `Vary` names; `*` never matches (RFC 9111, 4.1).
    func isSelected(by request: DownloadRequest) -> Bool {
        let now = Self.selected(by: headers, of: request)
        return now["*"] == nil && now == selected
    }

    private static func relevant(_ headers: HTTPFields) -> HTTPFields {
        headers.filter { storedNames.contains($0.lowercased()) }
    }

    /// Returns the digests of the fields of `request` that `Vary` names in `headers` (RFC 9111, 4.1).
    static func selected(by headers: HTTPFields, of request: DownloadRequest) -> [String: String] {
        guard headers.contains("vary") else { return [:] }
        let names = headers.list("vary").map { $0.lowercased() }
        return Dictionary(
            names.map { name in
                (name, PartialFile.digest(Data(request.headers.values(name).joined(separator: ",").utf8)))
            },
            uniquingKeysWith: { $1 })
    }
}

/// The data from which a finished transfer makes the metadata of its cache entry, if the entry is stored.
struct TransferRecord: DeferredRecord {
    /// The relevant fields of the request. Others may hold secrets, and a record lives as long as the bytes.
    private let requestHeaders: HTTPFields
    /// The URL that the response came from, after redirects.
    private let url: URL
    private let status: Int
    private let responseHeaders: HTTPFields
    private let times: ExchangeTimes

    init(request: DownloadRequest, response: DownloadResponse, times: ExchangeTimes) {
        requestHeaders = Self.relevant(request.headers, to: response.headers)
        url = response.url
        status = response.status
        responseHeaders = response.headers
        self.times = times
    }

    /// Returns all fields if the response has a `Vary` field; otherwise those that decide whether it may be stored.
    private static func relevant(_ request: HTTPFields, to response: HTTPFields) -> HTTPFields {
        guard !response.contains("vary") else { return request }
        var relevant = HTTPFields()
        for name in ["cache-control", "pragma"] where request.contains(name) {
            for value in request.values(name) { relevant.add(name, value) }
        }
        return relevant
    }

    private var request: DownloadRequest { DownloadRequest(url: url, headers: requestHeaders) }
    private var response: DownloadResponse { DownloadResponse(url: url, status: status, headers: responseHeaders) }

    /// The encoded ``StoredResponse``.
    var metadata: Data { StoredResponse(response, to: request, times).encoded }
    /// Whether the response may be stored (RFC 9111, 3).
    var isStorable: Bool { Freshness.isStorable(response, for: request) }
}

/// The times of an exchange, for the age of its response (RFC 9111, 4.2.3).
struct ExchangeTimes: Hashable, Sendable {
    /// The time at which the request was sent.
    let sent: Date
    /// The time at which the head of the response arrived.
    let answered: Date
}

/// The encoding in the metadata of a cache entry: lines of names and values. Every load writes one, and a
/// general-purpose encoder is slower.
extension StoredResponse {
    private static let version = "http 1"
    /// The last line: without it, the data is truncated.
    private static let end = "end"

    /// The encoded form, in UTF-8.
    var encoded: Data {
        var lines = Lines()
        for line in [Self.version, "\(status)", Self.milliseconds(requested), Self.milliseconds(received)] {
            lines.add(line)
        }
        for (name, value) in headers.nioHeaders { lines.add(name, value) }
        for (name, digest) in selected { lines.add("vary \(name)", digest) }
        lines.add(Self.end)
        return lines.data
    }

    /// Text that grows line by line, without a string for each line.
    private struct Lines {
        private var text = ""

        init() {
            text.reserveCapacity(512)
        }

        var data: Data {
            var text = text
            return text.withUTF8 { Data(buffer: $0) }
        }

        mutating func add(_ line: String) {
            text += line
            text += "\n"
        }

        mutating func add(_ name: String, _ value: String) {
            text += name
            text += ": "
            add(value)
        }
    }

    /// Decodes a stored response; `nil` when the data has another format or version, or is truncated.
    init?(decoding data: Data) {
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 6, lines[0] == Self.version, lines.suffix(2) == [Self.end[...], ""],
            let status = Int(lines[1]),
            let requested = Self.date(lines[2]), let received = Self.date(lines[3])
        else { return nil }
        self.init(status: status, headers: HTTPFields(), requested: requested, received: received)
        for line in lines[4...].dropLast(2) {
            guard let colon = line.firstRange(of: ": ") else { return nil }
            let (name, value) = (line[..<colon.lowerBound], String(line[colon.upperBound...]))
            if name.hasPrefix("vary ") {
                selected[String(name.dropFirst(5))] = value
            } else {
                headers.add(String(name), value)
            }
        }
    }

    private static func milliseconds(_ date: Date) -> String {
        String(Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }

    private static func date(_ text: Substring) -> Date? {
        Int64(text).map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}
