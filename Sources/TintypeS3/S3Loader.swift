public import Foundation
public import TintypeCore
import TintypeHTTP

/// Loads `s3://bucket/key?version` URLs from a store.
///
/// The key is the path without its first slash, percent-decoded once. The query is the version; without one, the
/// current version is loaded. A `?` in a key is written `%3F`, a `%` as `%25`.
///
/// Under `LoadPolicy.Freshness.http`, the header fields that are stored with an object decide how long
/// its image is fresh, as with HTTP; a version never changes, so its image always is.
///
/// A pipeline whose downloader has a `ServerGuard` loads `s3:` URLs only if the schemes of the guard
/// contain `s3`. The guard does not restrict the endpoint of the store, which is usually in the own network; so it
/// should deny that endpoint to other URLs.
public struct S3Loader: ImageLoader {
    /// The response field with the version of an object.
    private static let versionField = "x-amz-version-id"

    private let client: S3Client
    private let buckets: S3Buckets

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - client: The store.
    ///   - buckets: The buckets from which objects are loaded; `nil` allows only the bucket of the client's
    ///     configuration. URLs come from outside, so a bucket with anything else than images that everyone may see,
    ///     such as that of a cache, does not belong here.
    public init(_ client: S3Client, buckets: S3Buckets? = nil) {
        self.client = client
        self.buckets = buckets ?? .only([client.configuration.bucket])
    }

    /// Returns whether a source is an `s3:` URL.
    public func canLoad(_ source: ImageSource) -> Bool {
        guard case .url(let url) = source else { return false }
        return url.scheme?.lowercased() == "s3"
    }

    /// Loads an object.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` for a URL without a valid bucket and key;
    ///   `TintypeError.Code.forbidden` for another bucket than the allowed ones;
    ///   `TintypeError.Code.badStatus` with the status 404 if there is no such object;
    ///   `TintypeError.Code.refusedResponse` if the store ignores the version; the errors of a transfer.
    @concurrent
    public func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        guard let url = source.url, let object = S3Object(url) else {
            throw TintypeError(.invalidSource, stage: .load, "not an S3 URL", subject: source.displayName)
        }
        guard buckets.allows(object.bucket) else {
            throw TintypeError(
                .forbidden, stage: .load, "objects of this bucket may not be loaded", subject: source.displayName)
        }
        var request = try client.request("GET", object)
        let conditions = context.stored?.conditions ?? HTTPFields()
        for (name, value) in conditions.all { request.headers.add(name: name, value: CanonicalRequest.trimmed(value)) }
        try await client.slots.enter(for: context.job)
        defer { client.slots.leave() }
        return try await client.retrying(client.configuration.sourceLimits) {
            [request] (limits, isRetry) throws(TintypeError) in
            do throws(TintypeError) {
                return try await load(object, request, context, limits, isRetry)
            } catch {
                throw error.about(source.displayName)
            }
        }
    }

    /// One attempt.
    private func load(
        _ object: S3Object, _ request: S3Request, _ context: LoadContext, _ limits: ExchangeLimits, _ isRetry: Bool
    ) async throws(TintypeError) -> LoadedBytes {
        let isConditional = context.stored != nil && !request.headers.all.isEmpty
        let response = try await client.send(
            request, accepting: isConditional ? [200, 304] : [200], about: "\(object)", within: limits,
            isRetry: isRetry)
        if response.status == 304 {
            await response.discard()
            if let loaded = context.stored.flatMap({ response.confirmedBytes(of: $0, storing: [Self.versionField]) }) {
                return loaded
            }
            throw TintypeError(
                .refusedResponse, stage: .load, "the store confirmed another object than the stored one", status: 304)
        }
        // SeaweedFS, for example, sends the current object for every version of a bucket without versions.
        guard !object.hasFixedVersion || response.headers[Self.versionField] == object.version else {
            throw TintypeError(.refusedResponse, stage: .load, "the store sent another version of the object")
        }
        context.received.restart()
        try await response.receive(into: context.received, for: context.job)
        return try await response.takeBytes(
            from: context.received, for: context.job, storing: [Self.versionField])
    }

    /// Returns how a stored object may be used (RFC 9111, for a private cache).
    public func verdict(
        on stored: CacheEntry, for source: ImageSource, extras: RequestExtras, at now: Date
    ) -> StoredVerdict {
        if let object = source.url.flatMap({ S3Object($0) }), object.hasFixedVersion,
            stored.storedField(Self.versionField) == object.version
        {
            return .fresh
        }
        return stored.verdict(at: now)
    }
}

/// The buckets from which an ``S3Loader`` loads.
public struct S3Buckets: Hashable, Sendable {
    /// The allowed buckets; `nil` allows all.
    public var allowed: Set<String>?
    /// The denied buckets. They take precedence.
    public var denied: Set<String>

    /// Creates a list of buckets.
    public init(allowed: Set<String>?, denied: Set<String> = []) {
        self.allowed = allowed
        self.denied = denied
    }

    /// Only these buckets.
    public static func only(_ buckets: Set<String>) -> S3Buckets { S3Buckets(allowed: buckets) }

    /// All buckets that the keys can read, except these.
    public static func all(except denied: Set<String>) -> S3Buckets { S3Buckets(allowed: nil, denied: denied) }

    /// Whether objects of a bucket are loaded. The case of letters matters.
    public func allows(_ bucket: String) -> Bool {
        !denied.contains(bucket) && allowed?.contains(bucket) ?? true
    }
}

extension S3Object {
    /// Whether the bytes never change. The version `null` is that of a bucket without versions, and is replaced.
    var hasFixedVersion: Bool { version != nil && version != "null" }

    /// Reads an `s3://bucket/key?version` URL; `nil` if it has no bucket or key, or anything else. The name is not
    /// validated.
    init?(_ url: URL) {
        guard url.scheme?.lowercased() == "s3", url.user == nil, url.password == nil, url.port == nil,
            url.fragment == nil, let bucket = url.host(percentEncoded: false), !bucket.isEmpty
        else { return nil }
        // Not the path of Foundation, which drops a slash at its end.
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
        let path = parts.percentEncodedPath
        guard path.hasPrefix("/"), let key = String(path.dropFirst()).removingPercentEncoding, !key.isEmpty else {
            return nil
        }
        var version: String?
        if let query = parts.percentEncodedQuery, !query.isEmpty {
            guard let decoded = query.removingPercentEncoding else { return nil }
            version = decoded
        }
        self.init(bucket: bucket, key: key, version: version)
    }
}
