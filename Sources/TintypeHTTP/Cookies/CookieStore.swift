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

    /// Creates a store that keeps its cookies in a file, except session cookies. **Blocks** while it reads the file.
    ///
    /// Changes are written in the background: see ``flush()``. Cookies are secrets, so only this user may read the
    /// file.
    ///
    /// - Parameter url: The file. It need not exist, but its directory must. A file is used by one store at a time.
    /// - Throws: `TintypeError.Code.unreadable` if the file exists and cannot be read, has other contents, is
    ///   a symbolic link, or another user owns it or may write to it.
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
    package func store(_ fields: [String], setBy url: URL, at now: Date = Date()) {
        guard !fields.isEmpty else { return }
        jar.withLock { $0.store(fields, setBy: url, at: now) }
        file?.write { self.cookies }
    }

    /// Removes all cookies.
    public func clear() {
        jar.withLock { $0 = CookieJar() }
        file?.write { self.cookies }
    }

    /// Waits until all earlier changes are in the file. Returns immediately for a store without a file.
    ///
    /// Changes that could not be written before are written again.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if the changes cannot be written. They stay in memory.
    public func flush() async throws(TintypeError) {
        try await file?.flush { self.cookies }
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
    /// The maximum size of a `Cookie` field in bytes. Servers refuse requests with larger heads, so that a host could
    /// make another one below the same domain unreachable.
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
    mutating func store(_ fields: [String], setBy url: URL, at now: Date) {
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

    /// Whether a response may set a cookie beside those that are stored. Without TLS, it must neither replace nor hide
    /// one that was set for TLS alone (6265bis, 5.7, step 16).
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

    /// Removes the oldest of some cookies: one that is not for TLS alone, if there is any (6265bis, 5.7), so that a
    /// server without TLS cannot evict the others.
    private mutating func removeOldest(where isCandidate: (Cookie) -> Bool) {
        let index =
            cookies.firstIndex { isCandidate($0) && !$0.isSecure } ?? cookies.firstIndex(where: isCandidate)
        if let index { cookies.remove(at: index) }
    }
}

/// The file of a ``CookieStore``: a JSON array, written in the background.
///
/// A write takes the cookies that the store has when the write begins. So the file always ends up with the state after
/// the last change, in whatever order concurrent changes request a write.
final class CookieFile: Sendable {
    private let file: PrivateFile
    private let state = Locked(CookieFileState())
    /// The largest file that is read, in bytes: more than the largest number of cookies takes.
    private static let maximumByteCount = 64 << 20
    /// The age in seconds at which a temporary file is removed that was never renamed, because its process was killed.
    private static let maximumTemporaryAge: TimeInterval = 3600

    init(_ path: String) {
        file = PrivateFile(path)
    }

    /// Returns the cookies of the file, or none if there is no file or it is empty. Blocks.
    func read() throws(TintypeError) -> [Cookie] {
        file.removeAbandoned(olderThan: Self.maximumTemporaryAge, at: Date())
        guard let data = try file.read(limit: Self.maximumByteCount), !data.isEmpty else { return [] }
        guard let cookies = try? JSONDecoder().decode([Cookie].self, from: data) else {
            throw TintypeError(.unreadable, stage: .load, "not a cookie file", subject: file.path)
        }
        // A line break in a value would end the header field.
        return cookies.filter(\.isPlain)
    }

    /// Writes the cookies in the background. Several changes may be written together.
    ///
    /// - Parameter current: Returns the cookies of the store.
    func write(_ current: @escaping @Sendable () -> [Cookie]) {
        if state.withLock({ $0.recordChange() }) { startWriting(current) }
    }

    /// Waits until all earlier changes are written, and writes them again if that failed before.
    func flush(_ current: @escaping @Sendable () -> [Cookie]) async throws(TintypeError) {
        let promise = SharedPromise<Void>()
        let step = state.withLock { $0.addFlush(promise) }
        if step == .write { startWriting(current) }
        // A flush does not respond to cancellation: the file would be written all the same.
        if step != .end { await promise.wait { nil } }
        if let problem = state.withLock({ $0.problem }) { throw problem }
    }

    private func startWriting(_ current: @escaping @Sendable () -> [Cookie]) {
        WorkQueue.disk.enqueue(at: .low) {
            while true {
                let written = self.state.withLock { $0.beginWrite() }
                // Read after `beginWrite`: a later change causes another write.
                let cookies = current().filter { $0.expires != nil }
                let problem = cookies == written ? nil : self.replace(with: cookies)
                let end = self.state.withLock { $0.endWrite(cookies, problem) }
                for flush in end.flushes { flush.fulfill(()) }
                if end.isLast { return }
            }
        }
    }

    /// - Returns: The error, if the file could not be written.
    private func replace(with cookies: [Cookie]) -> TintypeError? {
        guard let data = try? JSONEncoder().encode(cookies) else {
            return TintypeError(.unwritable, stage: .store, "cannot encode the cookies", subject: file.path)
        }
        do throws(TintypeError) { try file.replace(with: data) } catch { return error }
        return nil
    }
}

/// Decides when a ``CookieFile`` is written. One writer at a time runs, until it has written every change.
struct CookieFileState: Sendable {
    /// The next step of a flush.
    enum FlushStep: Hashable {
        /// Nothing: everything is written.
        case end
        /// Wait for the running writer.
        case wait
        /// Start a writer, and wait for it.
        case write
    }

    private var isChanged = false
    private var isWriting = false
    /// The cookies in the file, if a write has succeeded.
    private var written: [Cookie]?
    /// The flushes whose changes the running write includes, and later ones.
    private var (included, later): ([SharedPromise<Void>], [SharedPromise<Void>]) = ([], [])
    /// The error of the last write.
    private(set) var problem: TintypeError?

    /// Records a change.
    ///
    /// - Returns: Whether the caller must start a writer.
    mutating func recordChange() -> Bool {
        isChanged = true
        defer { isWriting = true }
        return !isWriting
    }

    mutating func addFlush(_ promise: SharedPromise<Void>) -> FlushStep {
        guard isWriting || problem != nil else { return .end }
        later.append(promise)
        guard !isWriting else { return .wait }
        return recordChange() ? .write : .wait
    }

    /// Called by the writer, before it reads the cookies.
    ///
    /// - Returns: The cookies in the file, if a write has succeeded.
    mutating func beginWrite() -> [Cookie]? {
        isChanged = false
        included += later
        later = []
        return written
    }

    /// Called by the writer after each write.
    ///
    /// - Returns: The flushes to end, and whether the writer ends because nothing has changed since it began.
    mutating func endWrite(
        _ cookies: [Cookie], _ problem: TintypeError?
    ) -> (flushes: [SharedPromise<Void>], isLast: Bool) {
        self.problem = problem
        if problem == nil { written = cookies }
        isWriting = isChanged
        if !isChanged { included += later }
        defer {
            included = []
            if !isChanged { later = [] }
        }
        return (included, !isChanged)
    }
}
