public import Foundation
public import TintypeCore
public import TintypeShared

/// A shared cache tier, and leases, on one or several Redis or Valkey servers.
///
/// Several servers are independent of each other: each key belongs to one of them, by rendezvous hashing over their
/// names, so all machines must use the same names. While a server is down, its keys fail and all others work. Clusters
/// are not supported.
///
/// ```swift
/// let store = try RedisStore([RedisConfiguration(url: "redis://cache.example:6379")])
/// ```
///
/// Nothing is opened before the first use. A command fails within ``RedisConfiguration/connectTimeout`` and
/// ``RedisConfiguration/commandTimeout`` together. All members may be called from any thread. For its errors see
/// `SharedStore`; an error that a server reports is `TintypeError.Code.badStatus`.
public final class RedisStore: SharedStore, LeaseStore {
    private let clients: [RedisClient]
    private let hash: RendezvousHash

    /// `redis`.
    public let name = "redis"
    /// The smallest ``RedisConfiguration/maximumValueSize`` of the servers.
    public let maximumValueSize: Int

    /// Creates a store on servers.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` if there is no server, or one is named twice.
    public init(_ servers: [RedisConfiguration]) throws(TintypeError) {
        let names = servers.map(\.name)
        guard !servers.isEmpty, Set(names).count == names.count else {
            throw TintypeError(
                .invalidSource, stage: .request,
                servers.isEmpty ? "a Redis store needs a server" : "a Redis store has one of its servers twice",
                subject: names.joined(separator: ", "))
        }
        clients = RedisClient.clients(of: servers)
        hash = RendezvousHash(names)
        maximumValueSize = servers.map(\.maximumValueSize).min() ?? 0
    }

    /// The client of the server for a key or a channel.
    package func client(for key: String) -> RedisClient { clients[hash.server(for: key)] }

    /// Closes all connections. Calls fail from now on with `TintypeError.Code.invalidated`.
    public func close() {
        for client in clients { client.close() }
    }

    // MARK: Values

    /// Returns the value of a key, or `nil` if there is none.
    ///
    /// - Throws: An error if the server does not answer in time, or answers with one.
    public func value(for key: String) async throws(TintypeError) -> Data? {
        do throws(TintypeError) {
            return try await client(for: key).get(key)
        } catch {
            throw error.at(.disk)
        }
    }

    /// Stores a value. Without a time to live the server keeps it until it needs the memory.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` if the value is larger than ``maximumValueSize``; an error if the
    ///   server does not answer in time, or answers with one.
    public func store(_ value: Data, for key: String, timeToLive: Duration?) async throws(TintypeError) {
        do throws(TintypeError) {
            _ = try await client(for: key).set(key, to: value, timeToLive: timeToLive)
        } catch {
            throw error.at(.store)
        }
    }

    /// Removes the value of a key. Not an error if there is none.
    ///
    /// - Throws: An error if the server does not answer in time, or answers with one.
    public func remove(_ key: String) async throws(TintypeError) {
        do throws(TintypeError) {
            _ = try await client(for: key).unlink(key)
        } catch {
            throw error.at(.store)
        }
    }

    /// Returns whether there is a value for a key.
    ///
    /// - Throws: An error if the server does not answer in time, or answers with one.
    public func contains(_ key: String) async throws(TintypeError) -> Bool {
        do throws(TintypeError) {
            return try await client(for: key).exists(key)
        } catch {
            throw error.at(.disk)
        }
    }

    // MARK: Leases

    /// Takes the lease of a key; `nil` if another holder has it.
    ///
    /// If it throws, the lease may be taken nevertheless, and ends after `time`.
    ///
    /// - Throws: An error if the server does not answer in time, or answers with one.
    public func acquireLease(_ key: String, for time: Duration) async throws(TintypeError) -> LeaseToken? {
        let token = LeaseToken.random()
        let isAcquired = try await client(for: key).set(
            key, to: Data(token.description.utf8), timeToLive: time, onlyIfAbsent: true)
        return isAcquired ? token : nil
    }

    /// Gives a lease back if the token still holds it. Otherwise does nothing.
    ///
    /// - Throws: An error if the server does not answer in time, or answers with one.
    public func releaseLease(_ key: String, _ token: LeaseToken) async throws(TintypeError) {
        _ = try await client(for: key).unlink(key, ifEqualTo: Data(token.description.utf8))
    }
}
