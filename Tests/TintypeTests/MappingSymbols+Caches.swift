import Foundation
import Tintype

extension MappingSymbols {
    /// What a cache does on its own, and what is kept otherwise than usual.
    static var cacheForms: [String: Any] {
        [
            "CacheSerializer": CacheSerializer.self, "ThumbnailCache": ThumbnailCache.self,
            "CacheSerializer.Form.bytes(_:_:)": CacheSerializer.Form.bytes(_:_:),
            "PipelineConfiguration.serializer": \PipelineConfiguration.serializer,
            "RequestParts.serializer": \RequestParts.serializer,
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
}
