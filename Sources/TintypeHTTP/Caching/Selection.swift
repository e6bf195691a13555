package import Foundation
package import TintypeCore

/// The values of the request fields that selected a response: the fields named in its `Vary` field, or in the `Vary`
/// field of a redirect that led to it (RFC 9111, 4.1).
///
/// The values are stored as salted digests, because they may be secrets.
struct Selection: Hashable, Sendable {
    /// A random text, which makes the digests of equal values different in every entry.
    let salt: String
    /// The digests by lowercase name. The name `*` never matches.
    private(set) var digests: [String: String] = [:]

    /// Creates a selection that every request matches.
    ///
    /// - Parameter salt: `nil` makes a new salt.
    init(salt: String? = nil) {
        self.salt = salt ?? Self.makeSalt()
    }

    /// Creates the selection of a response.
    ///
    /// - Parameter requests: The requests that led to the response, in order.
    init(of requests: [SentRequest], salt: String? = nil) {
        self.init(salt: salt)
        guard let first = requests.first?.headers else { return }
        for (index, request) in requests.enumerated() {
            for name in request.vary { add(name, of: request.headers, after: first, isRedirected: index > 0) }
        }
    }

    /// A request as it was sent, and the names in the `Vary` field of its response.
    struct SentRequest: Sendable {
        let headers: HTTPFields
        let vary: Set<String>

        init(headers: HTTPFields, response: HTTPFields) {
            self.headers = headers
            vary = VaryField.names(in: response)
        }
    }

    /// Whether every request matches.
    var isEmpty: Bool { digests.isEmpty }

    /// Whether no request matches.
    var matchesNothing: Bool { digests["*"] != nil }

    /// Adds a field that the response to `request` varies by.
    ///
    /// A later load knows the fields of its first request only. If a redirected request has another value for the
    /// field, such as a cookie of another host, no later request matches. The same holds for a redirected request
    /// without a cookie, because its host may set one before the later load.
    private mutating func add(
        _ name: String, of request: HTTPFields, after first: HTTPFields, isRedirected: Bool
    ) {
        let isKnown =
            request.contains(name)
            ? request.values(name) == first.values(name) : !(isRedirected && name == "cookie")
        guard name != "*", isKnown else { return digests["*"] = "-" }
        digests[name] = digest(name, first)
    }

    /// Removes all digests, so that no request matches.
    mutating func matchNothing() { digests = ["*": "-"] }

    /// Adds a digest that was stored.
    mutating func add(_ name: String, digest: String) { digests[name] = digest }

    /// Whether a request has the same value in every selecting field.
    ///
    /// - Parameter isEquivalent: Whether another value of the field with this lowercase name selects the same response.
    func matches(_ request: HTTPFields, where isEquivalent: (String) -> Bool = { _ in false }) -> Bool {
        digests.allSatisfy { name, digest in
            name != "*" && (self.digest(name, request) == digest || isEquivalent(name))
        }
    }

    /// Returns a number that is equal for requests with equal values. Store only a few of its bits: the digest is
    /// unsalted.
    ///
    /// - Parameter key: The name of the resource.
    func number(of request: HTTPFields, for key: String) -> UInt64 {
        let parts = digests.keys.sorted().map { Self.text($0, request) }
        var digest = SHA256Digest()
        digest.update(([key] + parts).joined(separator: "\n"))
        return digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func digest(_ name: String, _ request: HTTPFields) -> String {
        PartialFile.digest(Data("\(salt)\n\(Self.text(name, request))".utf8))
    }

    /// The name and the value of a field. A field that is absent differs from an empty one.
    private static func text(_ name: String, _ request: HTTPFields) -> String {
        let values = request.values(name)
        return values.isEmpty ? name : "\(name): \(SelectingField.normalized(name, values))"
    }

    private static func makeSalt() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

/// The `Vary` field of a response (RFC 9110, 12.5.5).
enum VaryField {
    /// The maximum number of different names. Each costs two digests for every lookup, and a line in the metadata.
    static let maximumNameCount = 32
    /// The maximum length of all values, in bytes.
    static let maximumByteCount = 4096

    /// Returns the names of the request fields by which a response was selected, in lowercase.
    ///
    /// - Returns: Only `*`, which no request matches, if there are too many names, or if one of them is no token.
    static func names(in response: HTTPFields) -> Set<String> {
        guard response.contains("vary") else { return [] }
        let values = response.values("vary")
        guard values.reduce(0, { $0 + $1.utf8.count }) <= maximumByteCount else { return ["*"] }
        let names = Set(values.flatMap { HTTPList.elements($0) }.map { $0.lowercased() })
        return names.count <= maximumNameCount && names.allSatisfy(isToken) ? names : ["*"]
    }

    /// Whether a text consists of the characters of a token (RFC 9110, 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: marks.contains(byte)
            }
        }
    }

    private static let marks = Set("!#$%&'*+-.^_`|~".utf8)
}

/// The values of request fields in a form in which equal meanings are equal texts (RFC 9111, 4.1).
enum SelectingField {
    /// Returns the value of a field.
    ///
    /// - Parameters:
    ///   - name: The name in lowercase.
    ///   - values: The values of all fields with the name. They form one list (RFC 9110, 5.3).
    static func normalized(_ name: String, _ values: [String]) -> String {
        switch name {
        // Not comma-separated lists: white space around a comma may be part of a secret.
        case "cookie", "authorization": values.joined(separator: ",")
        case "accept", "accept-charset", "accept-encoding", "accept-language": preferences(values)
        default: values.flatMap { HTTPList.elements($0) }.joined(separator: ",")
        }
    }

    /// Normalizes preferences: those with equal weights have no order, and values are case-insensitive (RFC 9110,
    /// 12.4.2).
    private static func preferences(_ values: [String]) -> String {
        values.flatMap { HTTPList.elements($0) }.map { Preference($0) }
            .sorted { ($1.weight, $0.value) < ($0.weight, $1.value) }
            .map { "\($0.value);q=\($0.weight)" }.joined(separator: ",")
    }

    /// Whether a request prefers one language to all others, and it is that of a response (RFC 9110, 12.5.4). Then the
    /// origin would select this response again.
    static func prefers(_ language: String, in request: HTTPFields) -> Bool {
        let all = request.list("accept-language").map { Preference($0) }
        guard let best = all.max(by: { $0.weight < $1.weight }), best.weight > 0 else { return false }
        return best.value == language.lowercased() && all.count { $0.weight == best.weight } == 1
    }

    /// One element of a field such as `Accept`.
    private struct Preference {
        /// The element without its weight, in lowercase up to the first parameter.
        let value: String
        /// The weight in thousandths.
        let weight: Int

        init(_ element: String) {
            let parts = HTTPList.elements(element, separator: ";")
            let isWeight = { (part: String) in part.lowercased().hasPrefix("q=") }
            let name = parts.first?.lowercased() ?? ""
            let parameters = parts.dropFirst()
            value = ([name] + parameters.filter { !isWeight($0) }).joined(separator: ";")
            weight = parameters.last(where: isWeight).map { Self.thousandths($0.dropFirst(2)) } ?? 1000
        }

        /// Parses a weight from 0 to 1. An invalid one is 0.
        private static func thousandths(_ text: Substring) -> Int {
            guard let weight = Double(text), (0...1).contains(weight) else { return 0 }
            return Int((weight * 1000).rounded())
        }
    }
}

/// Judges the cache entries of one source by the request that a load would send for it now.
package struct ResponseJudge: EntryJudge {
    /// The request after all interceptors, with cookies; `nil` if it is unknown, so that no entry may be used.
    private let request: DownloadRequest?
    /// Whether the cache has many users.
    private let isShared: Bool

    /// Creates a judge for a request.
    package init(request: DownloadRequest?, isShared: Bool = false) {
        (self.request, self.isShared) = (request, isShared)
    }

    /// Whether the request may only be served from a cache (RFC 9111, 5.2.1.7).
    package var allowsOnlyCache: Bool { request.map { CacheControl($0.headers).has("only-if-cached") } ?? false }

    /// Returns whether an entry is for the request, and how it may be used.
    package func judge(_ entry: CacheEntry, for key: CacheKey, at now: Date) -> EntryJudgement {
        // Without the header fields of the response, its freshness is unknown. An entry of another version may be the
        // image of another user.
        guard let response = StoredResponse(decoding: entry.metadata) else {
            return .selected(.stale(usableOnError: entry.metadata.isEmpty))
        }
        guard let request else { return .selected(.stale(usableOnError: false)) }
        guard response.isSelected(by: request) || response.selection.matchesNothing else {
            return .otherVariant(response.selection.number(of: request.headers, for: key.source))
        }
        return .selected(Freshness(request: request, stored: response, now: now, isShared: isShared).verdict)
    }
}

extension TransferSettings {
    /// Returns the request as it would be sent: after all interceptors, with cookies.
    ///
    /// The interceptors run for it, because only they know the fields that they add. Their call that would send the
    /// request throws, and they are cancelled.
    ///
    /// - Returns: `nil` if the interceptors send nothing within the total timeout.
    func requestToSend(for request: DownloadRequest) async -> DownloadRequest? {
        let now = configuration.clock.date()
        guard !interceptors.isEmpty else { return request.withCookies(self, at: now) }
        return await intercepted(request)?.withCookies(self, at: now)
    }

    private func intercepted(_ request: DownloadRequest) async -> DownloadRequest? {
        let sent = SharedPromise<DownloadRequest?>()
        let interceptors = interceptors
        // A task of its own: the interceptors may go on after the request is known.
        let task = Task {
            let exchange = HTTPExchange { request in
                sent.fulfill(request)
                throw CancellationError()
            }
            _ = try? await exchange.inside(interceptors)(request)
            sent.fulfill(nil)
        }
        defer { task.cancel() }
        guard let totalTimeout else { return await sent.wait { .some(nil) } }
        return try? await TimeLimit.run(totalTimeout, configuration.clock) { await sent.wait { .some(nil) } }
    }
}
