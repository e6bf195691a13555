import Foundation
import TintypeHTTP

/// The validators of a rendition.
struct Validators: Hashable, Sendable {
    /// A strong entity tag.
    let tag: EntityTag
    /// When the source was modified, or the rendition was made.
    let lastModified: Date

    /// Creates validators from the SHA-256 digest of the bytes of a response.
    ///
    /// The tag has the first 16 bytes of the digest, so renditions of one URL in different formats have different tags
    /// (RFC 9110, 8.8.3.3).
    init(digest: [UInt8], lastModified: Date) {
        let text = Data(digest.prefix(16)).base64EncodedString()
        let safe = text.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        tag = EntityTag("\"\(String(safe))\"")
        self.lastModified = lastModified
    }
}

/// The conditions of a request (RFC 9110, 13.1).
struct RequestConditions: Sendable {
    private let fields: HTTPFields

    init(_ fields: HTTPFields) {
        self.fields = fields
    }

    /// What the conditions decide.
    enum Outcome: Hashable, Sendable {
        /// The request is answered as if it had no conditions.
        case proceed
        /// The client has the response (304).
        case notModified
        /// The client wants another representation (412).
        case failed
    }

    /// Evaluates the conditions of a GET or HEAD request in the order of RFC 9110, 13.2.2. An entity tag has precedence
    /// over a date, and an invalid date is ignored.
    func outcome(for validators: Validators) -> Outcome {
        if fields.contains("if-match") {
            guard matches("if-match", validators.tag, weakly: false) else { return .failed }
        } else if let limit = date("if-unmodified-since"), validators.lastModified.isLater(than: limit) {
            return .failed
        }
        if fields.contains("if-none-match") {
            return matches("if-none-match", validators.tag, weakly: true) ? .notModified : .proceed
        }
        if let limit = date("if-modified-since"), !validators.lastModified.isLater(than: limit) { return .notModified }
        return .proceed
    }

    /// Whether a range of the request applies (RFC 9110, 13.1.5).
    ///
    /// A date never matches: the modification date of a source does not identify the bytes of a rendition, so it is a
    /// weak validator (RFC 9110, 8.8.2.2).
    func allowRange(of validators: Validators) -> Bool {
        guard let value = fields["if-range"] else { return true }
        let tag = EntityTag(HTTPList.trimmed(value))
        return !tag.isWeak && tag == validators.tag
    }

    private func date(_ name: String) -> Date? { fields[name].flatMap { HTTPDate.parse(HTTPList.trimmed($0)) } }

    private func matches(_ name: String, _ tag: EntityTag, weakly: Bool) -> Bool {
        for value in fields.values(name) {
            if HTTPList.trimmed(value) == "*" { return true }
            for other in EntityTagList.tags(value) {
                if weakly ? other.isWeaklyEqual(to: tag) : !other.isWeak && other == tag { return true }
            }
        }
        return false
    }
}

extension Date {
    /// Whether the date is later, in whole seconds, which is all that a header field holds.
    fileprivate func isLater(than other: Date) -> Bool {
        timeIntervalSince1970.rounded(.down) > other.timeIntervalSince1970.rounded(.down)
    }
}

/// Lists of entity tags (RFC 9110, 8.8.3). Unlike in other lists, a backslash in the quotes is a character like any
/// other.
enum EntityTagList {
    /// The maximum number of tags that are read from a field.
    static let maximumCount = 256

    /// Returns the tags of a list, up to the first error.
    static func tags(_ value: String) -> [EntityTag] {
        var (tags, rest) = ([EntityTag](), value.utf8[...])
        while tags.count < maximumCount {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            let start = rest.startIndex
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""),
                let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            else { break }
            rest = rest[rest.index(after: end)...]
            tags.append(EntityTag(String(value[start...end])))
        }
        return tags
    }
}
