import Foundation
import TintypeCore

/// What is remembered of a response beside its body: what RFC 9111 needs to decide whether it may be used again.
struct StoredResponse: Hashable, Sendable {
    var status: Int
    /// The fields that matter; see ``kept``.
    var headers: HTTPFields
    /// The request's fields that `Vary` names, their values as digests: they may hold secrets.
    var selected: [String: String]
    /// When the request was sent.
    var requested: Date
    /// When the head of the response came.
    var received: Date

    /// Fields of responses that say something of caching, or of what is cached.
    private static let kept: Set<String> = [
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

    /// This response after the origin said that it is still good: its fields take the place of those of the same name
    /// (RFC 9111, 3.2 and 4.3.4).
    func renewed(by other: StoredResponse) -> StoredResponse {
        var renewed = self
        renewed.headers.replace(with: other.headers)
        // An age that is not repeated was that of the old answer.
        if !other.headers.contains("age") { renewed.headers["age"] = nil }
        renewed.requested = other.requested
        renewed.received = other.received
        return renewed
    }

    /// The fields that ask whether it is still good (RFC 9111, 4.3.1).
    func addConditions(to headers: inout HTTPFields) {
        if let tag = self.headers["etag"] { headers["If-None-Match"] = tag }
        if let date = self.headers["last-modified"] { headers["If-Modified-Since"] = date }
    }

    /// RFC 9111, 4.1: whether a request has the same values in all fields that `Vary` names; `*` never matches.
    func isSelected(by request: DownloadRequest) -> Bool {
        let now = Self.selected(by: headers, of: request)
        return now["*"] == nil && now == selected
    }

    private static func relevant(_ headers: HTTPFields) -> HTTPFields {
        headers.filter { kept.contains($0.lowercased()) }
    }

    /// RFC 9111, 4.1.
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

/// What HTTP caching has to know of a transfer.
struct TransferRecord: DeferredRecord {
    /// What matters of the request: it may hold secrets, and this is kept as long as the bytes.
    private let asking: HTTPFields
    /// Where the answer came from.
    private let url: URL
    private let status: Int
    private let answered: HTTPFields
    private let times: ExchangeTimes

    init(request: DownloadRequest, response: DownloadResponse, times: ExchangeTimes) {
        asking = Self.relevant(request.headers, to: response.headers)
        url = response.url
        status = response.status
        answered = response.headers
        self.times = times
    }

    /// All of the fields where `Vary` may name any of them, and else those that say whether a response may be kept.
    private static func relevant(_ asking: HTTPFields, to answered: HTTPFields) -> HTTPFields {
        guard !answered.contains("vary") else { return asking }
        var relevant = HTTPFields()
        for name in ["cache-control", "pragma"] where asking.contains(name) {
            for value in asking.values(name) { relevant.add(name, value) }
        }
        return relevant
    }

    private var request: DownloadRequest { DownloadRequest(url: url, headers: asking) }
    private var response: DownloadResponse { DownloadResponse(url: url, status: status, headers: answered) }

    var metadata: Data { StoredResponse(response, to: request, times).encoded }
    var isStorable: Bool { Freshness.isStorable(response, for: request) }
}

/// When a request was sent, and when the head of its response had come (RFC 9111, 4.2.3).
struct ExchangeTimes: Hashable, Sendable {
    let sent: Date
    let answered: Date
}

/// The form in which it stands in the metadata of an entry: lines of name and value, which is quicker to write than what
/// any general coder makes, and every load writes one.
extension StoredResponse {
    private static let version = "http 1"
    /// The last line, so that nothing is missing before it.
    private static let end = "end"

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

    /// Text that grows by a line, without making a string of each.
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

    /// `nil` for what this program did not write, or not whole.
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
