import Foundation
import TintypeCore
import TintypeRedis
import TintypeS3
import TintypeShared

/// The caches on other machines that settings name, and the leases that machines take from Redis.
struct SharedTiers {
    private let redis: RedisStore?
    private let caches: [SharedCache]

    /// Creates the tiers. None is contacted before the first request.
    init(_ settings: ServerSettings) throws(ServerStartError) {
        do throws(TintypeError) {
            redis = try settings.caching.redisURL.revealed.map { text throws(TintypeError) in
                try RedisStore(
                    SettingText.elements(text).map { url throws(TintypeError) in try RedisConfiguration(url: url) })
            }
            var caches: [SharedCache] = []
            if let redis { caches.append(SharedCache(redis)) }
            if let bucket = settings.caching.s3Bucket {
                let client = try S3Client(try Self.configuration(settings, bucket: bucket))
                caches.append(SharedCache(S3Store(client)))
            }
            self.caches = caches
        } catch {
            throw ServerStartError(message: error.message)
        }
    }

    /// Returns the disk and the shared tiers as one cache; `nil` if there is neither.
    func cache(over disk: (any DataCaching)?) -> (any DataCaching)? {
        let tiers = [disk].compactMap(\.self) + caches
        return tiers.count > 1 ? TieredDataCache(tiers) : tiers.first
    }

    /// Makes each rendition once on all machines; `nil` without Redis.
    var leases: LeasedComputation? { redis.map { LeasedComputation($0, results: caches) } }

    /// Returns the loader of `s3:` sources; `nil` unless the list of allowed sources names a bucket. The bucket of the cache is
    /// never a source, because its contents are not images of the operator.
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
