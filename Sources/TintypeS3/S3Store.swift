public import Foundation
public import TintypeCore
import TintypeHTTP
public import TintypeShared

/// A bucket as a store of values that several machines share.
///
/// The keys need the permissions to get, put, delete and list: without the last one, AWS answers a request for a
/// missing object with 403 instead of 404, which is an error here. Values are not deleted when their time to live ends:
/// a lifecycle rule of the bucket does that.
public final class S3Store: SharedStore {
    /// The name of the metadata with the date of expiry, in seconds since 1970.
    private static let expiryName = "tintype-expires"

    private let client: S3Client
    private let keepsExisting: Bool

    /// Creates a store in the bucket of a client's configuration.
    ///
    /// - Parameters:
    ///   - client: The client of the bucket.
    ///   - keepsExisting: Whether a value that exists already is not stored again. Only for keys whose value never
    ///     changes; it saves the replacement when several machines store the same value.
    public init(_ client: S3Client, keepsExisting: Bool = false) {
        self.client = client
        self.keepsExisting = keepsExisting
    }

    /// `s3`.
    public var name: String { "s3" }

    /// See ``S3Configuration/maximumValueSize``.
    public var maximumValueSize: Int { client.configuration.maximumValueSize }

    /// Returns a value; `nil` if there is none, its time to live has ended, or a lifecycle rule has archived it.
    ///
    /// - Throws: `TintypeError.Code.timedOut`, `TintypeError.Code.unreachable`,
    ///   `TintypeError.Code.transport`, `TintypeError.Code.badStatus` or
    ///   `TintypeError.Code.cancelled`.
    @concurrent
    public func value(for key: String) async throws(TintypeError) -> Data? {
        do throws(TintypeError) {
            let content = try await client.get(object(key), maximumByteCount: maximumValueSize)
            guard let content, !hasExpired(content.info) else { return nil }
            return content.data
        } catch {
            guard error.isMissingObject || error.s3?.isArchived == true else { throw error }
            return nil
        }
    }

    /// Stores a value.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` for a value that is too large, or an error of the
    ///   store.
    @concurrent
    public func store(_ value: Data, for key: String, timeToLive: Duration?) async throws(TintypeError) {
        guard value.count <= maximumValueSize else { throw .exceeded(byteLimit: maximumValueSize) }
        var options = S3PutOptions(contentType: "application/octet-stream", onlyIfAbsent: keepsExisting)
        if let timeToLive {
            let seconds = min(max(timeToLive.components.seconds, 0), 1 << 40)
            let expiry = client.clock.date().timeIntervalSince1970 + Double(seconds)
            options.metadata[Self.expiryName] = String(Int64(expiry.rounded(.up)))
        }
        try await client.put(value, as: object(key), options)
    }

    /// Removes a value. Not an error if there is none.
    ///
    /// - Throws: An error if the store refuses the request or does not answer.
    @concurrent
    public func remove(_ key: String) async throws(TintypeError) {
        try await client.delete(object(key))
    }

    /// Returns whether there is a value whose time to live has not ended.
    ///
    /// - Throws: An error if the store refuses the request or does not answer.
    @concurrent
    public func contains(_ key: String) async throws(TintypeError) -> Bool {
        guard let info = try await client.head(object(key)) else { return false }
        return !hasExpired(info)
    }

    private func object(_ key: String) -> S3Object {
        S3Object(bucket: client.configuration.bucket, key: client.configuration.prefix + key)
    }

    private func hasExpired(_ info: S3ObjectInfo) -> Bool {
        guard let expiry = info.metadata[Self.expiryName].flatMap({ Int64($0) }) else { return false }
        return Double(expiry) <= client.clock.date().timeIntervalSince1970
    }
}
