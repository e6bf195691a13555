import Foundation
import TintypeCore
import TintypeRedis
import TintypeS3
import TintypeShared

/// The caches on other machines that settings name, and the leases that machines take from Redis.
struct SharedTiers {
    /// Makes each rendition once on all machines; `nil` without Redis.
    let leases: LeasedComputation?
    private let caches: [SharedCache]
    private let metrics: ServerMetrics?

    /// Creates the tiers. None is contacted before the first request.
    ///
    /// - Parameter metrics: Counts lookups and operations; `nil` counts nothing.
    init(_ settings: ServerSettings, metrics: ServerMetrics? = nil) throws(ServerStartError) {
        self.metrics = metrics
        do throws(TintypeError) {
            let redis = try settings.caching.redisURL.revealed.map { text throws(TintypeError) in
                try RedisStore(
                    SettingText.elements(text).map { url throws(TintypeError) in try RedisConfiguration(url: url) })
            }.map { ObservedStore($0, metrics: metrics) }
            var caches: [SharedCache] = []
            let renditions = redis.map { SharedCache($0) }
            if let renditions { caches.append(renditions) }
            if let bucket = settings.caching.s3Bucket {
                let client = try S3Client(try Self.configuration(settings, bucket: bucket))
                var month = SharedCacheConfiguration()
                month.timeToLive = .seconds(30 * 24 * 3600)
                caches.append(SharedCache(ObservedStore(S3Store(client), metrics: metrics), configuration: month))
            }
            self.caches = caches
            leases = redis.map { LeasedComputation($0, results: caches, sharingBreakerOf: renditions) }
        } catch {
            throw ServerStartError(message: error.message)
        }
    }

    /// Returns the disk and the shared tiers as one cache; `nil` if there is neither.
    func cache(over disk: (any DataCaching)?) -> (any DataCaching)? {
        let tiers =
            [disk].compactMap(\.self).map { CountedCache($0, tier: "disk", metrics: metrics) }
            + caches.map { CountedCache($0, tier: $0.store.name, metrics: metrics) }
        return tiers.count > 1 ? TieredDataCache(tiers) : tiers.first
    }

    /// The states of the circuit breakers by the names of their stores; that of leases is `leases`, and the one of
    /// their store.
    var breakers: [String: BreakerState] {
        var states = Dictionary(caches.map { ($0.store.name, $0.stats.breaker) }, uniquingKeysWith: { $1 })
        if let leases { states["leases"] = leases.stats.breaker }
        return states
    }

    /// Returns the loader of `s3:` sources; `nil` unless the list of allowed sources names a bucket. The bucket of the
    /// cache is never a source, because its contents are not images of the operator.
    static func sourceLoader(_ settings: ServerSettings) throws(ServerStartError) -> S3Loader? {
        let prefix = "s3://"
        let rules = settings.sources.allowed.filter { $0.hasPrefix(prefix) }
        var buckets = Set(rules.map { String($0.dropFirst(prefix.count).prefix { $0 != "/" }) })
        if let own = settings.caching.s3Bucket { buckets.remove(own) }
        guard !buckets.isEmpty else { return nil }
        do throws(TintypeError) {
            let client = try S3Client(try configuration(settings, bucket: settings.caching.s3Bucket ?? ""))
            return S3Loader(client, buckets: .only(buckets))
        } catch {
            throw ServerStartError(message: error.message)
        }
    }

    private static func configuration(
        _ settings: ServerSettings, bucket: String
    ) throws(TintypeError) -> S3Configuration {
        var configuration = try S3Configuration(bucket: bucket, environment: ProcessInfo.processInfo.environment)
        if let endpoint = settings.sources.s3Endpoint.flatMap({ URL(string: $0) }) {
            configuration.endpoint = endpoint
            configuration.usesPathStyle = true
        }
        configuration.region = settings.sources.s3Region
        return configuration
    }
}
