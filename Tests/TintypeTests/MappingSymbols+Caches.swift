import Foundation
import Tintype

extension MappingSymbols {
    /// The caches.
    static var caches: [String: Any] {
        [
            "ImageCaching": (any ImageCaching).self, "MemoryCaching": (any MemoryCaching).self,
            "DataCaching": (any DataCaching).self,
            "ImageCache": ImageCache.self,
            "MemoryCache": MemoryCache.self, "CacheLimits": CacheLimits.self, "DiskCache": DiskCache.self,
            "DiskLimits": DiskLimits.self,
            "ImageCaching.entry(for:)": { (cache: any ImageCaching, key: CacheKey) in cache.entry(for: key) },
            "ImageCaching.image(for:)": { (cache: any ImageCaching, key: CacheKey) in cache.image(for: key) },
            "ImageCaching.remove(_:from:)":
                { (cache: any ImageCaching, key: CacheKey) in cache.remove(key, from: .all) },
            "ImageCaching.store(_:for:)": { (cache: any ImageCaching, image: Image, entry: CacheEntry, key: CacheKey) in
                cache.store(image, for: key)
                cache.store(entry, for: key)
            },
            "DataCaching.entry(for:)": { (cache: any DataCaching, key: CacheKey) in cache.entry(for: key) },
            "ImageCache.init(memory:disk:pixels:coders:)": ImageCache.init(memory:disk:pixels:coders:),
            "MemoryCache.clear()": MemoryCache.clear, "MemoryCache.contains(_:)": MemoryCache.contains(_:),
            "MemoryCache.image(for:)": MemoryCache.image(for:), "MemoryCache.trim(to:)": MemoryCache.trim(to:),
            "CacheLimits.cost": \CacheLimits.cost, "CacheLimits.count": \CacheLimits.count,
            "CacheLimits.entryCost": \CacheLimits.entryCost, "CacheLimits.standard": CacheLimits.standard,
            "CacheTiers.all": CacheTiers.all, "CacheTiers.disk": CacheTiers.disk,
            "CacheTiers.memory": CacheTiers.memory,
            "CacheEntry.data": \CacheEntry.data, "CacheEntry.metadata": \CacheEntry.metadata,
            "DiskCache.clear()": { (cache: DiskCache) async throws in try await cache.clear() },
            "DiskCache.directory": \DiskCache.directory, "DiskCache.entry(for:)": DiskCache.entry(for:),
            "DiskCache.path(for:)": DiskCache.path(for:),
            "DiskCache.trim(to:)": { (cache: DiskCache) async throws in try await cache.trim(to: 0) },
            "DiskCache.usage()": { (cache: DiskCache) async throws in try await cache.usage() },
            "DiskCache.verify()": { (cache: DiskCache) async throws in try await cache.verify() },
            "DiskLimits.age": \DiskLimits.age, "DiskLimits.byteCount": \DiskLimits.byteCount,
        ]
    }

    /// Serializers, the thumbnail cache and queries.
    static var cacheForms: [String: Any] {
        [
            "CacheSerializer": CacheSerializer.self,
            "DiskCache.thumbnails(limits:maximumByteCount:)": DiskCache.thumbnails(limits:maximumByteCount:),
            "CacheSerializer.Form.bytes(_:_:)": CacheSerializer.Form.bytes(_:_:),
            "PipelineConfiguration.serializer": \PipelineConfiguration.serializer,
            "LoadPolicy.StoredForm.pixels": LoadPolicy.StoredForm.pixels,
            "ImageCache.query(_:among:data:decode:)": { (cache: ImageCache, key: CacheKey) async throws in
                try await cache.query(key, data: true, decode: DecodeOptions())
            },
            "ImageCache.blockingQuery(_:among:data:decode:)": ImageCache.blockingQuery(_:among:data:decode:),
            "ImageCache.store(_:data:for:in:)": { (cache: ImageCache, image: Image, key: CacheKey) async throws in
                try await cache.store(image, data: nil, for: key, in: .all)
            },
        ]
    }

    /// Cache chains, expiry and inherited directories.
    static var sharedCaches: [String: Any] {
        [
            "CacheEntry.extended": \CacheEntry.extended, "CacheKeyFilter": CacheKeyFilter.self,
            "DiskCache.contains(_:)": { (cache: DiskCache, key: CacheKey) -> Bool in cache.contains(key) },
            "DiskCache.inherited": \DiskCache.inherited, "InheritedDirectory": InheritedDirectory.self,
            "DiskLimits.expiry": \DiskLimits.expiry, "DiskLimits.Expiry": DiskLimits.Expiry.self,
            "ImageCache.chain(_:query:store:remove:contains:clear:)": { (caches: [any ImageCaching]) in
                ImageCache.chain(caches, query: .serial)
            },
            "ImageCache.ChainRule": ImageCache.ChainRule.self,
            "ImageCaching.tiers(holding:among:)":
                { (cache: any ImageCaching, key: CacheKey) in cache.tiers(holding: key, among: .all) },
            "ImageRequest.identity": \ImageRequest.identity,
            "MemoryCache.init(limits:findsLivingImages:time:)": MemoryCache.init(limits:findsLivingImages:time:),
        ]
    }
}
