public import Foundation
public import TintypeCore

/// The cookies of a downloader, in memory, and in a file if the program names one.
///
/// Only requests with ``HTTPOptions/usesCookies`` send cookies and let responses set them. All methods may be called
/// from any thread.
public final class CookieStore: Sendable {
    private let jar = Locked(CookieJar())
    private let file: CookieFile?

    /// Creates an empty store in memory.
    public init() {
        file = nil
    }

    /// Creates a store that keeps its cookies in a file, except those that end with the process. **Blocks** while it reads
    /// the file.
    ///
    /// Changes are written in the background: see ``flush()``. Cookies are secrets, so only this user may read the file.
    ///
    /// - Parameter url: The file. It need not exist, but its directory must. A file is used by one store at a time.
    /// - Throws: ``TintypeCore/TintypeError/Code/unreadable`` if the file exists and cannot be read, or has other contents.
    public init(file url: URL) throws(TintypeError) {
        let file = CookieFile(url.path(percentEncoded: false))
        let cookies = try file.read()
        self.file = file
        jar.withLock { $0 = CookieJar(cookies) }
    }

    /// The stored cookies, the oldest first.
    public var cookies: [Cookie] { jar.withLock { $0.cookies } }

    /// Stores the cookies of `Set-Cookie` fields.
    ///
    /// - Parameters:
    ///   - fields: The values of the fields. Invalid ones are ignored.
    ///   - url: The URL of the response that sets the cookies.
    ///   - now: The time of the response.
    public func take(_ fields: [String], from url: URL, at now: Date = Date()) {
        guard !fields.isEmpty else { return }
        let cookies = jar.withLock { jar in
            jar.take(fields, from: url, at: now)
            return jar.cookies
        }
        file?.write(cookies)
    }

    /// Removes all cookies.
    public func clear() {
        jar.withLock { $0 = CookieJar() }
        file?.write([])
    }

    /// Waits until all earlier changes are in the file. Returns at once if there is none.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/unwritable`` if the last change could not be written.
    public func flush() async throws(TintypeError) {
        try await file?.flush()
    }

    /// Returns the value of the `Cookie` field for a request; `nil` when no cookie matches.
    func header(for url: URL, at now: Date) -> String? {
        jar.withLock { $0.header(for: url, at: now) }
    }
}

/// Decides which cookies are stored and which are sent, within limits. A pure struct: the time is an argument.
struct CookieJar: Sendable {
    // The minimum that RFC 6265, 6.1 requires.
    static let maximumPerDomain = 50
    static let maximumCount = 3000
    /// The maximum size of a `Cookie` field in bytes. Servers refuse requests with larger heads, so that a host could make
    /// another one below the same domain unreachable.
    static let maximumFieldByteCount = 8192
    /// The maximum number of fields of one response that are read: the last ones, since later cookies replace others.
    static let maximumPerResponse = 100

    /// The oldest first.
    private(set) var cookies: [Cookie] = []

    /// Creates a jar with cookies that were stored earlier.
    init(_ cookies: [Cookie] = []) {
        self.cookies = cookies.suffix(Self.maximumCount)
    }

    /// Stores the cookies that a response sets. An expired cookie removes the one that it replaces.
    mutating func take(_ fields: [String], from url: URL, at now: Date) {
        for field in fields.suffix(Self.maximumPerResponse) {
            guard let cookie = Cookie(field, from: url, at: now), mayStore(cookie, from: url) else { continue }
            replace(cookie, at: now)
        }
    }

    /// Returns the value of the `Cookie` field for a request; `nil` when no cookie matches.
    func header(for url: URL, at now: Date) -> String? {
        // Longer paths first, and older cookies first among equals (RFC 6265, 5.4).
        let matching = cookies.enumerated().filter { $0.element.matches(url, at: now) }
            .sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }
        var header = ""
        for cookie in matching.map(\.element) {
            let pair = (header.isEmpty ? "" : "; ") + "\(cookie.name)=\(cookie.value)"
            if header.utf8.count + pair.utf8.count <= Self.maximumFieldByteCount { header += pair }
        }
        return header.isEmpty ? nil : header
    }

    /// Whether a response may set a cookie beside those that are stored. Without TLS, it must neither replace nor hide one
    /// that was set for TLS alone (6265bis, 5.7, step 16).
    private func mayStore(_ cookie: Cookie, from url: URL) -> Bool {
        url.isEncrypted
            || !cookies.contains { other in
                other.isSecure && other.name == cookie.name && Cookie.path(other.path, covers: cookie.path)
                    && (Cookie.domain(other.domain, covers: cookie.domain)
                        || Cookie.domain(cookie.domain, covers: other.domain))
            }
    }

    private mutating func replace(_ cookie: Cookie, at now: Date) {
        cookies.removeAll { other in
            other.name == cookie.name && other.domain == cookie.domain && other.path == cookie.path
                || other.expires.map { $0 <= now } ?? false
        }
        guard cookie.expires.map({ $0 > now }) ?? true else { return }
        cookies.append(cookie)
        if cookies.count(where: { $0.domain == cookie.domain }) > Self.maximumPerDomain {
            removeOldest { $0.domain == cookie.domain }
        }
        if cookies.count > Self.maximumCount { removeOldest { _ in true } }
    }

    /// Removes the oldest of some cookies: one that is not for TLS alone, if there is any (6265bis, 5.7), so that a server
    /// without TLS cannot evict the others.
    private mutating func removeOldest(where isCandidate: (Cookie) -> Bool) {
        let index =
            cookies.firstIndex { isCandidate($0) && !$0.isSecure } ?? cookies.firstIndex(where: isCandidate)
        if let index { cookies.remove(at: index) }
    }
}

/// The file of a ``CookieStore``: a JSON array, written under a temporary name and renamed.
final class CookieFile: Sendable {
    private struct State: Sendable {
        /// The cookies to write next.
        var pending: [Cookie]?
        var isWriting = false
        var problem: TintypeError?
        var flushes: [SharedPromise<Void>] = []
    }

    private let path: String
    private let state = Locked(State())
    /// The largest file that is read, in bytes: more than the largest number of cookies takes.
    private static let maximumByteCount = 64 << 20

    init(_ path: String) {
        self.path = path
    }

    /// Returns the cookies of the file, or none if there is no file. Blocks.
    func read() throws(TintypeError) -> [Cookie] {
        do throws(TintypeError) {
            let file = try LocalFile(reading: path)
            guard file.byteCount <= Self.maximumByteCount else { throw unreadable }
            let data = try file.read(file.byteCount, from: 0)
            guard let cookies = try? JSONDecoder().decode([Cookie].self, from: data) else { throw unreadable }
            // A line break in a value would end the header field.
            return cookies.filter(\.isPlain)
        } catch {
            guard error.code == .notFound else { throw error }
            return []
        }
    }

    private var unreadable: TintypeError {
        TintypeError(.unreadable, stage: .load, "not a file of cookies", subject: path)
    }

    /// Writes cookies in the background. Only the newest of several changes is written.
    func write(_ cookies: [Cookie]) {
        let isFirst = state.withLock { state in
            state.pending = cookies.filter { $0.expires != nil }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { WorkQueue.disk.enqueue(at: .low) { self.writePending() } }
    }

    private func writePending() {
        while let cookies = state.withLock({ $0.pending.take() }) {
            let problem = replaceFile(cookies)
            state.withLock { $0.problem = problem }
            let flushes = state.withLock { state -> [SharedPromise<Void>] in
                guard state.pending == nil else { return [] }
                state.isWriting = false
                defer { state.flushes = [] }
                return state.flushes
            }
            for flush in flushes { flush.fulfill(()) }
        }
    }

    /// - Returns: The error, if the file could not be written.
    private func replaceFile(_ cookies: [Cookie]) -> TintypeError? {
        let temporary = "\(path).\(UUID().uuidString)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0, let data = try? JSONEncoder().encode(cookies) else { return unwritable(errno) }
        let problem = data.withUnsafeBytes { $0.write(to: descriptor) }
        close(descriptor)
        guard problem == 0, rename(temporary, path) == 0 else {
            defer { unlink(temporary) }
            return unwritable(problem == 0 ? errno : problem)
        }
        return nil
    }

    private func unwritable(_ number: Int32) -> TintypeError {
        TintypeError(.unwritable, stage: .store, SystemError.description(number), subject: path)
    }

    func flush() async throws(TintypeError) {
        let promise = SharedPromise<Void>()
        let isWriting = state.withLock { state in
            if state.isWriting { state.flushes.append(promise) }
            return state.isWriting
        }
        // A flush does not respond to cancellation: the file would be written all the same.
        if isWriting { await promise.wait { nil } }
        if let problem = state.withLock({ $0.problem.take() }) { throw problem }
    }
}
