package import Foundation

/// The encoding in the metadata of a cache entry: lines of names and values. Every load writes one, and a
/// general-purpose encoder is slower.
///
/// | line | content |
/// | --- | --- |
/// | 1 | the version |
/// | 2 | the salt of the digests |
/// | `response STATUS SENT RECEIVED` | the response, with its times in milliseconds since 1970 |
/// | `NAME: VALUE` | a header field of the last response or redirect |
/// | `redirect STATUS SENT RECEIVED` | a redirect that led to the response |
/// | `vary NAME: DIGEST` | a request field that selected the response |
/// | `target DIGEST` | the URL after redirects |
/// | `end` | without it, the data is truncated |
extension StoredResponse {
    private static let version = "http 2"
    private static let end = "end"

    /// The encoded form, in UTF-8.
    package var encoded: Data {
        var lines = Lines()
        lines.add(Self.version)
        lines.add(selection.salt)
        lines.add("response", head)
        for redirect in redirects { lines.add("redirect", redirect) }
        for (name, digest) in selection.digests { lines.add("vary \(name)", digest) }
        if let target { lines.add("target \(target)") }
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

        mutating func add(_ kind: String, _ head: StoredHead) {
            let times = head.times
            add("\(kind) \(head.status) \(Self.milliseconds(times.sent)) \(Self.milliseconds(times.received))")
            for (name, value) in head.headers.all where Self.isOneLine(name) && Self.isOneLine(value) {
                add(name, value)
            }
        }

        /// Whether a text is one line for ``StoredResponse/init(decoding:)``, to which CR LF is one character.
        private static func isOneLine(_ text: String) -> Bool { !text.utf8.contains { $0 == 0x0A || $0 == 0x0D } }

        private static func milliseconds(_ date: Date) -> Int64 {
            Int64((date.timeIntervalSince1970 * 1000).rounded())
        }
    }

    /// Decodes a stored response; `nil` when the data has another format or version, or is truncated.
    package init?(decoding data: Data) {
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 5, lines[0] == Self.version, lines.suffix(2) == [Self.end[...], ""] else { return nil }
        var decoder = Decoder(salt: String(lines[1]))
        for line in lines[2...].dropLast(2) {
            guard decoder.take(line) else { return nil }
        }
        guard let head = decoder.heads.first else { return nil }
        self.init(
            head: head, redirects: Array(decoder.heads.dropFirst()), selection: decoder.selection,
            target: decoder.target)
    }

    /// Collects the parts of a stored response, line by line.
    private struct Decoder {
        /// The response, then its redirects.
        var heads: [StoredHead] = []
        var selection: Selection
        var target: String?

        init(salt: String) {
            selection = Selection(salt: salt)
        }

        /// Takes a line, and returns whether it is valid.
        mutating func take(_ line: Substring) -> Bool {
            if let colon = line.firstRange(of: ": ") {
                return takeField(line[..<colon.lowerBound], String(line[colon.upperBound...]))
            }
            let words = line.split(separator: " ")
            switch (words.first, words.count) {
            case ("response", 4) where heads.isEmpty, ("redirect", 4) where !heads.isEmpty: return takeHead(words)
            case ("target", 2): target = String(words[1])
            default: return false
            }
            return true
        }

        private mutating func takeField(_ name: Substring, _ value: String) -> Bool {
            guard !heads.isEmpty else { return false }
            if name.hasPrefix("vary ") {
                selection.add(String(name.dropFirst(5)), digest: value)
            } else {
                heads[heads.count - 1].headers.add(name: String(name), value: value)
            }
            return true
        }

        private mutating func takeHead(_ words: [Substring]) -> Bool {
            guard let status = Int(words[1]), let sent = Self.date(words[2]), let received = Self.date(words[3])
            else { return false }
            heads.append(
                StoredHead(
                    status: status, headers: HTTPFields(), times: ExchangeTimes(sent: sent, received: received)))
            return true
        }

        private static func date(_ text: Substring) -> Date? {
            Int64(text).map { Date(timeIntervalSince1970: Double($0) / 1000) }
        }
    }
}
