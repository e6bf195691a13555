import Foundation
import Tintype

extension MappingSymbols {
    /// Loaders.
    static var loading: [String: Any] {
        [
            "ImageLoader": (any ImageLoader).self,
            "LoadContext": LoadContext.self,
            "LoadedBytes": LoadedBytes.self, "StoredVerdict": StoredVerdict.self, "Downloader": Downloader.self,
            "DownloaderConfiguration": DownloaderConfiguration.self,
            "ImageLoader.canLoad(_:)": { (loader: any ImageLoader, source: ImageSource) in loader.canLoad(source) },
            "ImageLoader.load(_:context:)":
                { (loader: any ImageLoader, source: ImageSource, context: LoadContext) async throws in
                    try await loader.load(source, context: context)
                },
            "LoadContext.stored": \LoadContext.stored,
            "LoadedBytes.isNotModified": \LoadedBytes.isNotModified,
            "LoadedBytes.notModified(_:metadata:)": LoadedBytes.notModified(_:metadata:),
            "ReceivedBytes.append(_:)":
                { (received: ReceivedBytes, bytes: UnsafeRawBufferPointer) throws in try received.append(bytes) },
            "ReceivedBytes.expect(_:)": ReceivedBytes.expect(_:),
            "Downloader.load(_:context:)":
                { (downloader: Downloader, source: ImageSource, context: LoadContext) async throws in
                    try await downloader.load(source, context: context)
                },
            "DownloaderConfiguration.transport": \DownloaderConfiguration.transport,
            "DownloaderConfiguration.accept": \DownloaderConfiguration.accept,
            "DownloaderConfiguration.acceptableStatusCodes": \DownloaderConfiguration.acceptableStatusCodes,
            "DownloaderConfiguration.connectTimeout": \DownloaderConfiguration.connectTimeout,
            "DownloaderConfiguration.headers": \DownloaderConfiguration.headers,
            "DownloaderConfiguration.idleTimeout": \DownloaderConfiguration.idleTimeout,
            "DownloaderConfiguration.maximumConcurrentDownloads": \DownloaderConfiguration.maximumConcurrentDownloads,
            "DownloaderConfiguration.maximumRedirects": \DownloaderConfiguration.maximumRedirects,
            "DownloaderConfiguration.userAgent": \DownloaderConfiguration.userAgent,
        ]
    }

    /// Downloads and their options.
    static var transfers: [String: Any] {
        [
            "Download": Download.self, "DownloadOrder": DownloadOrder.self, "StartRate": StartRate.self,
            "RetryPolicy": RetryPolicy.self, "PartialStore": PartialStore.self, "CookieStore": CookieStore.self,
            "DownloaderConfiguration.redirectHook": \DownloaderConfiguration.redirectHook,
            "TransferMetrics": TransferMetrics.self,
            "HTTPInterceptor": (any HTTPInterceptor).self,
            "DownloadModifier.request(id:_:)": DownloadModifier.request,
            "DownloadModifier.response(id:_:)": DownloadModifier.response,
            "DownloadModifier.decryptor(id:_:)": DownloadModifier.decryptor,
            "DownloadModifier.base64": DownloadModifier.base64,
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
}
