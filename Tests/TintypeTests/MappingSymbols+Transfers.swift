import Tintype

extension MappingSymbols {
    /// Transfers, and what is set for one of them.
    static var transfers: [String: Any] {
        [
            "Download": Download.self, "DownloadOrder": DownloadOrder.self, "StartRate": StartRate.self,
            "RetryPolicy": RetryPolicy.self, "PartialStore": PartialStore.self, "CookieStore": CookieStore.self,
            "RedirectHook": RedirectHook.self, "TransferMetrics": TransferMetrics.self,
            "HTTPInterceptor": (any HTTPInterceptor).self,
            "DownloadRequestModifier": DownloadRequestModifier.self,
            "DownloadResponseModifier": DownloadResponseModifier.self,
            "DownloadDecryptor": DownloadDecryptor.self, "DownloadDecryptor.base64": DownloadDecryptor.base64,
            "Downloader.cancelAll()": Downloader.cancelAll,
            "Downloader.configuration": \Downloader.configuration,
            "Downloader.currentDownloadCount": \Downloader.currentDownloadCount,
            "Downloader.download(_:options:priority:onProgress:)":
                Downloader.download(_:options:priority:onProgress:),
            "Downloader.invalidate(cancellingAll:)": Downloader.invalidate(cancellingAll:),
            "Downloader.isSuspended": \Downloader.isSuspended,
            "ImageResponse.metrics": \ImageResponse.metrics,
            "TintypeError.Code.badContentType": TintypeError.Code.badContentType,
            "TintypeError.Code.insecure": TintypeError.Code.insecure,
            "TintypeError.Code.refusedRequest": TintypeError.Code.refusedRequest,
            "TintypeError.Code.refusedResponse": TintypeError.Code.refusedResponse,
        ].merging(transferSettings) { first, _ in first }
    }

    private static var transferSettings: [String: Any] {
        [
            "DownloaderConfiguration.acceptableContentTypes": \DownloaderConfiguration.acceptableContentTypes,
            "DownloaderConfiguration.hostsWithUncheckedCertificates":
                \DownloaderConfiguration.hostsWithUncheckedCertificates,
            "DownloaderConfiguration.interceptors": \DownloaderConfiguration.interceptors,
            "DownloaderConfiguration.minimumProgressInterval": \DownloaderConfiguration.minimumProgressInterval,
            "DownloaderConfiguration.order": \DownloaderConfiguration.order,
            "DownloaderConfiguration.totalTimeout": \DownloaderConfiguration.totalTimeout,
            "HTTPCredential": HTTPCredential.self,
            "HTTPCredential.basic(user:password:)": HTTPCredential.basic(user:password:),
            "HTTPOptions": HTTPOptions.self,
            "HTTPOptions.acceptsUncheckedCertificate": \HTTPOptions.acceptsUncheckedCertificate,
            "HTTPOptions.credential": \HTTPOptions.credential,
            "HTTPOptions.idleTimeout": \HTTPOptions.idleTimeout,
            "HTTPOptions.interceptors": \HTTPOptions.interceptors,
            "HTTPOptions.usesCookies": \HTTPOptions.usesCookies,
            "ImageRequest.http": \ImageRequest.http,
        ]
    }

    /// What caches of many kinds share.
    static var sharedCaches: [String: Any] {
        [
            "CacheEntry.extended": \CacheEntry.extended, "CacheKeyFilter": CacheKeyFilter.self,
            "DiskCache.contains(_:)": { (cache: DiskCache, key: CacheKey) -> Bool in cache.contains(key) },
            "DiskCache.inherited": \DiskCache.inherited, "InheritedDirectory": InheritedDirectory.self,
            "DiskLimits.expiry": \DiskLimits.expiry, "DiskLimits.Expiry": DiskLimits.Expiry.self,
            "ImageCacheChain": ImageCacheChain.self, "ImageCacheChain.Policies": ImageCacheChain.Policies.self,
            "ImageCacheChain.Policy": ImageCacheChain.Policy.self,
            "ImageCaching.tiers(with:among:)":
                { (cache: any ImageCaching, key: CacheKey) in cache.tiers(with: key, among: .all) },
            "ImageRequest.identity": \ImageRequest.identity,
            "MemoryCache.init(limits:findsLivingImages:time:)": MemoryCache.init(limits:findsLivingImages:time:),
        ]
    }
}
