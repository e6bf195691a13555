import Foundation
import Tintype

/// The symbols that `docs/from-sdwebimage.md` names, as it spells them, each with an expression that compiles only
/// while the symbol is there.
///
/// In pieces, since the compiler takes its time over large literals.
enum MappingSymbols {
    static var all: [String: Any] {
        let parts = [
            request, pipeline, errors, observers, loading, transfers, caches, cacheForms, sharedCaches, coding, codecs,
            pictures, animation, prefetching, views,
        ]
        return parts.reduce(into: [:]) { all, part in all.merge(part) { first, _ in first } }
    }

    /// What a request says.
    private static var request: [String: Any] {
        [
            "ImageRequest": ImageRequest.self, "ImageSource": ImageSource.self, "HTTPSource": HTTPSource.self,
            "Rendition": Rendition.self, "TransformScope": TransformScope.self, "DecodeOptions": DecodeOptions.self,
            "NamedDecoder": NamedDecoder.self, "LoadPolicy": LoadPolicy.self, "CacheRules": CacheRules.self,
            "RequestParts": RequestParts.self, "RequestExtras": RequestExtras.self,
            "RequestExtraKey": (any RequestExtraKey).self, "ImagePriority": ImagePriority.self,
            "ImageRequest.fitting(width:height:)": ImageRequest.fitting(width:height:),
            "ImageRequest.priority": \ImageRequest.priority,
            "ImageRequest.transformed(by:scope:)": { (request: ImageRequest, transformer: any ImageTransformer) in
                request.transformed(by: transformer, scope: .all)
            },
            "ImageSource.closure": ImageSource.closure, "ImageSource.identity": \ImageSource.identity,
            "HTTPSource.headers": \HTTPSource.headers,
            "Rendition.decode": \Rendition.decode, "Rendition.identifier": \Rendition.identifier,
            "Rendition.transformScope": \Rendition.transformScope, "Rendition.transforms": \Rendition.transforms,
            "TransformScope.animated": TransformScope.animated, "TransformScope.vector": TransformScope.vector,
            "DecodeOptions.decoder": \DecodeOptions.decoder, "DecodeOptions.frames": \DecodeOptions.frames,
            "DecodeOptions.identifier": \DecodeOptions.identifier,
            "DecodeOptions.init(crop:size:frames:range:scale:decoder:keepsExif:embeddedThumbnail:)":
                DecodeOptions.init(crop:size:frames:range:scale:decoder:keepsExif:embeddedThumbnail:),
            "DecodeOptions.range": \DecodeOptions.range, "DecodeOptions.scale": \DecodeOptions.scale,
            "DecodeOptions.size": \DecodeOptions.size,
            "DecodeOptions.DynamicRange.high": DecodeOptions.DynamicRange.high,
            "DecodeOptions.Frames.animatedOnly": DecodeOptions.Frames.animatedOnly,
            "DecodeOptions.Frames.first": DecodeOptions.Frames.first,
            "DecodeOptions.Size.atMost(bytes:)": DecodeOptions.Size.atMost(bytes:),
            "DecodeOptions.Size.fit": DecodeOptions.Size.fit, "DecodeOptions.Size.stretch": DecodeOptions.Size.stretch,
            "DecodeOptions.Size.target(for:)": DecodeOptions.Size.target(for:),
            "LoadPolicy.completion": \LoadPolicy.completion, "LoadPolicy.data": \LoadPolicy.data,
            "LoadPolicy.failures": \LoadPolicy.failures, "LoadPolicy.freshness": \LoadPolicy.freshness,
            "LoadPolicy.original": \LoadPolicy.original, "LoadPolicy.preparation": \LoadPolicy.preparation,
            "LoadPolicy.previews": \LoadPolicy.previews, "LoadPolicy.rendered": \LoadPolicy.rendered,
            "LoadPolicy.stored": \LoadPolicy.stored, "LoadPolicy.Completion.whenReady": LoadPolicy.Completion.whenReady,
            "LoadPolicy.Completion.whenStored": LoadPolicy.Completion.whenStored,
            "LoadPolicy.DataDelivery.always": LoadPolicy.DataDelivery.always,
            "LoadPolicy.Failures.ignored": LoadPolicy.Failures.ignored,
            "LoadPolicy.Freshness.cacheOnly": LoadPolicy.Freshness.cacheOnly,
            "LoadPolicy.Freshness.cached": LoadPolicy.Freshness.cached,
            "LoadPolicy.Freshness.http": LoadPolicy.Freshness.http,
            "LoadPolicy.Freshness.reload": LoadPolicy.Freshness.reload,
            "LoadPolicy.Freshness.revalidate": LoadPolicy.Freshness.revalidate,
            "LoadPolicy.Preparation.always": LoadPolicy.Preparation.always,
            "LoadPolicy.Preparation.automatic": LoadPolicy.Preparation.automatic,
            "LoadPolicy.Previews.none": LoadPolicy.Previews.none,
            "LoadPolicy.Previews.progressive(every:)": LoadPolicy.Previews.progressive(every:),
            "LoadPolicy.StoredForm.automatic": LoadPolicy.StoredForm.automatic,
            "LoadPolicy.StoredForm.encoded": LoadPolicy.StoredForm.encoded,
            "CacheRules.memory": \CacheRules.memory,
            "CacheAccess.off": CacheAccess.off, "CacheAccess.readOnly": CacheAccess.readOnly,
            "CacheAccess.readWrite": CacheAccess.readWrite, "CacheAccess.writeOnly": CacheAccess.writeOnly,
            "RequestParts.cache": \RequestParts.cache, "RequestParts.loader": \RequestParts.loader,
            "RequestParts.originalCache": \RequestParts.originalCache,
            "CacheKey.rendition": \CacheKey.rendition, "CacheKey.source": \CacheKey.source,
            "ImagePriority.high": ImagePriority.high, "ImagePriority.low": ImagePriority.low,
            "ImagePriority.normal": ImagePriority.normal,
        ]
    }

    /// The way from a request to a picture.
    private static var pipeline: [String: Any] {
        [
            "ImagePipeline": ImagePipeline.self, "PipelineConfiguration": PipelineConfiguration.self,
            "RequestInterceptor": (any RequestInterceptor).self, "ImageTask": ImageTask.self,
            "ImageOrigin": ImageOrigin.self, "LoadProgress": LoadProgress.self, "FailureMemory": FailureMemory.self,
            "ImagePipeline.blockingCachedData(for:)": ImagePipeline.blockingCachedData(for:),
            "ImagePipeline.blockingCachedImage(for:)": ImagePipeline.blockingCachedImage(for:),
            "ImagePipeline.cacheKey(for:)": ImagePipeline.cacheKey(for:),
            "ImagePipeline.cachedData(for:)": { (pipeline: ImagePipeline, request: ImageRequest) async in
                await pipeline.cachedData(for: request)
            },
            "ImagePipeline.cachedImage(for:)": ImagePipeline.cachedImage(for:),
            "ImagePipeline.cancelAll()": ImagePipeline.cancelAll,
            "ImagePipeline.configuration": \ImagePipeline.configuration,
            "ImagePipeline.failures": \ImagePipeline.failures,
            "ImagePipeline.flush()": { (pipeline: ImagePipeline) async throws in try await pipeline.flush() },
            "ImagePipeline.image(for:)": { (pipeline: ImagePipeline, request: ImageRequest) async throws in
                try await pipeline.image(for: request)
            },
            "ImagePipeline.init(_:)": ImagePipeline.init(_:), "ImagePipeline.isRunning": \ImagePipeline.isRunning,
            "ImagePipeline.load(_:_:)":
                { @MainActor (pipeline: ImagePipeline, request: ImageRequest) in pipeline.load(request) { _ in } },
            "ImagePipeline.response(for:)": { (pipeline: ImagePipeline, request: ImageRequest) async throws in
                try await pipeline.response(for: request)
            },
            "ImagePipeline.runningLoads": \ImagePipeline.runningLoads,
            "ImagePipeline.runningTasks": \ImagePipeline.runningTasks, "ImagePipeline.shared": { ImagePipeline.shared },
            "ImagePipeline.start(_:)": ImagePipeline.start(_:),
            "PipelineConfiguration.cache": \PipelineConfiguration.cache,
            "PipelineConfiguration.coders": \PipelineConfiguration.coders,
            "PipelineConfiguration.decodeLimits": \PipelineConfiguration.decodeLimits,
            "PipelineConfiguration.failureMemory": \PipelineConfiguration.failureMemory,
            "PipelineConfiguration.init()": PipelineConfiguration.init,
            "PipelineConfiguration.interceptors": \PipelineConfiguration.interceptors,
            "PipelineConfiguration.loaders": \PipelineConfiguration.loaders,
            "PipelineConfiguration.maximumByteCount": \PipelineConfiguration.maximumByteCount,
            "PipelineConfiguration.observers": \PipelineConfiguration.observers,
            "PipelineConfiguration.shouldLoad": \PipelineConfiguration.shouldLoad,
            "PipelineConfiguration.standard(downloader:memory:disk:)":
                PipelineConfiguration.standard(downloader:memory:disk:),
            "RequestInterceptor.intercept(_:)": { (interceptor: any RequestInterceptor, request: ImageRequest) in
                interceptor.intercept(request)
            },
            "ImageTask.cancel()": ImageTask.cancel, "ImageTask.events": \ImageTask.events,
            "ImageTask.priority": \ImageTask.priority, "ImageTask.request": \ImageTask.request,
            "ImageTask.status": \ImageTask.status,
            "ImageEvent.finished": ImageEvent.finished, "ImageEvent.preview": ImageEvent.preview,
            "ImageEvent.progress": ImageEvent.progress,
            "ImageResponse.data": \ImageResponse.data, "ImageResponse.image": \ImageResponse.image,
            "ImageResponse.origin": \ImageResponse.origin,
            "ImageResponse.refreshFailure": \ImageResponse.refreshFailure,
            "ImageOrigin.custom": ImageOrigin.custom, "ImageOrigin.data": ImageOrigin.data,
            "ImageOrigin.disk": ImageOrigin.disk, "ImageOrigin.file": ImageOrigin.file,
            "ImageOrigin.memory": ImageOrigin.memory, "ImageOrigin.network": ImageOrigin.network,
            "FailedSources.all": \FailedSources.all,
            "FailedSources.forget(_:)": { (failures: FailedSources, source: ImageSource) in failures.forget(source) },
            "FailedSources.forgetAll()": FailedSources.forgetAll,
            "FailureMemory.capacity": \FailureMemory.capacity, "FailureMemory.lifetime": \FailureMemory.lifetime,
            "FailureMemory.shouldRemember": \FailureMemory.shouldRemember,
        ]
    }

    /// What can go wrong.
    private static var errors: [String: Any] {
        [
            "TintypeError": TintypeError.self,
            "TintypeError.cancelled": TintypeError.cancelled, "TintypeError.description": \TintypeError.description,
            "TintypeError.isLasting": \TintypeError.isLasting, "TintypeError.stage": \TintypeError.stage,
            "TintypeError.status": \TintypeError.status, "TintypeError.subject": \TintypeError.subject,
            "TintypeError.underlying": \TintypeError.underlying,
            "TintypeError.Code.badStatus": TintypeError.Code.badStatus,
            "TintypeError.Code.cancelled": TintypeError.Code.cancelled,
            "TintypeError.Code.emptyBody": TintypeError.Code.emptyBody,
            "TintypeError.Code.encodeFailed": TintypeError.Code.encodeFailed,
            "TintypeError.Code.failedBefore": TintypeError.Code.failedBefore,
            "TintypeError.Code.invalidSource": TintypeError.Code.invalidSource,
            "TintypeError.Code.limitExceeded": TintypeError.Code.limitExceeded,
            "TintypeError.Code.noCoder": TintypeError.Code.noCoder,
            "TintypeError.Code.noSuchFrame": TintypeError.Code.noSuchFrame,
            "TintypeError.Code.notAnImage": TintypeError.Code.notAnImage,
            "TintypeError.Code.notAnimated": TintypeError.Code.notAnimated,
            "TintypeError.Code.notCached": TintypeError.Code.notCached,
            "TintypeError.Code.notFound": TintypeError.Code.notFound,
            "TintypeError.Code.outOfMemory": TintypeError.Code.outOfMemory,
            "TintypeError.Code.refused": TintypeError.Code.refused,
            "TintypeError.Code.timedOut": TintypeError.Code.timedOut,
            "TintypeError.Code.tooManyRedirects": TintypeError.Code.tooManyRedirects,
            "TintypeError.Code.transformFailed": TintypeError.Code.transformFailed,
            "TintypeError.Code.transport": TintypeError.Code.transport,
            "TintypeError.Code.truncatedBody": TintypeError.Code.truncatedBody,
            "TintypeError.Code.undecodable": TintypeError.Code.undecodable,
            "TintypeError.Code.unreachable": TintypeError.Code.unreachable,
            "TintypeError.Code.unreadable": TintypeError.Code.unreadable,
            "TintypeError.Code.unwritable": TintypeError.Code.unwritable,
        ]
    }

    /// What can be watched.
    private static var observers: [String: Any] {
        [
            "StageOutcome": StageOutcome.self, "PipelineMetrics": PipelineMetrics.self,
            "TraceRecorder": TraceRecorder.self,
            "PipelineObserver.observe(_:)":
                { (observer: any PipelineObserver, event: PipelineEvent) in observer.observe(event) },
            "PipelineEvent.answered": PipelineEvent.answered, "PipelineEvent.evicted": PipelineEvent.evicted,
            "PipelineEvent.loadBegan": PipelineEvent.loadBegan, "PipelineEvent.loadEnded": PipelineEvent.loadEnded,
            "PipelineEvent.lookedUp": PipelineEvent.lookedUp, "PipelineEvent.stageBegan": PipelineEvent.stageBegan,
            "PipelineEvent.stageEnded": PipelineEvent.stageEnded,
            "StageRun.id": \StageRun.id, "StageRun.key": \StageRun.key, "StageRun.stage": \StageRun.stage,
            "StageOutcome.error": \StageOutcome.error,
        ]
    }

    /// Where bytes come from.
    private static var loading: [String: Any] {
        [
            "ImageLoader": (any ImageLoader).self, "ImageLoaderChain": ImageLoaderChain.self,
            "FileLoader": FileLoader.self, "DataURLLoader": DataURLLoader.self, "LoadContext": LoadContext.self,
            "LoadedBytes": LoadedBytes.self, "StoredVerdict": StoredVerdict.self, "Downloader": Downloader.self,
            "DownloaderConfiguration": DownloaderConfiguration.self,
            "ImageLoader.canLoad(_:)": { (loader: any ImageLoader, source: ImageSource) in loader.canLoad(source) },
            "ImageLoader.load(_:_:)":
                { (loader: any ImageLoader, source: ImageSource, context: LoadContext) async throws in
                    try await loader.load(source, context)
                },
            "ImageLoaderChain.loaders": \ImageLoaderChain.loaders,
            "LoadContext.stored": \LoadContext.stored,
            "LoadedBytes.isNotModified": \LoadedBytes.isNotModified,
            "LoadedBytes.stillGood(_:metadata:)": LoadedBytes.stillGood(_:metadata:),
            "ReceivedBytes.append(_:)": ReceivedBytes.append(_:), "ReceivedBytes.expect(_:)": ReceivedBytes.expect(_:),
            "Downloader.load(_:_:)":
                { (downloader: Downloader, source: ImageSource, context: LoadContext) async throws in
                    try await downloader.load(source, context)
                },
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

    /// Where pictures are kept.
    private static var caches: [String: Any] {
        [
            "ImageCaching": (any ImageCaching).self, "DataCache": (any DataCache).self, "ImageCache": ImageCache.self,
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
            "DataCache.entry(for:)": { (cache: any DataCache, key: CacheKey) in cache.entry(for: key) },
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

    /// From bytes to pixels and back.
    private static var coding: [String: Any] {
        [
            "ImageDecoder": (any ImageDecoder).self, "IncrementalImageDecoder": (any IncrementalImageDecoder).self,
            "ImageEncoder": (any ImageEncoder).self, "EncodeOptions": EncodeOptions.self,
            "DecodeContext": DecodeContext.self, "DecodeLimits": DecodeLimits.self,
            "ImageCoderRegistry": ImageCoderRegistry.self, "JPEGDecoder": JPEGDecoder.self,
            "JPEGEncoder": JPEGEncoder.self, "PNGDecoder": PNGDecoder.self, "PNGEncoder": PNGEncoder.self,
            "ImageDecoder.decode(_:_:)":
                { (decoder: any ImageDecoder, bytes: Data) throws in try decoder.decode(bytes, DecodeContext()) },
            "ImageDecoder.formats": { (decoder: any ImageDecoder) in decoder.formats },
            "ImageDecoder.makeIncrementalDecoder(_:)": { (decoder: any ImageDecoder) in
                decoder.makeIncrementalDecoder(DecodeContext())
            },
            "IncrementalImageDecoder.append(_:)":
                { (decoder: any IncrementalImageDecoder, bytes: Data) throws in try decoder.append(bytes) },
            "ImageEncoder.encode(_:as:_:)": { (encoder: any ImageEncoder, pixels: PixelBuffer) throws in
                try encoder.encode(pixels, as: .png, EncodeOptions())
            },
            "ImageEncoder.formats": { (encoder: any ImageEncoder) in encoder.formats },
            "EncodeOptions.background": \EncodeOptions.background, "EncodeOptions.frames": \EncodeOptions.frames,
            "EncodeOptions.quality": \EncodeOptions.quality,
            "DecodeLimits.check(_:)": DecodeLimits.check(_:),
            "ImageCoderRegistry.adding(decoders:encoders:)": ImageCoderRegistry.adding(decoders:encoders:),
            "ImageCoderRegistry.decoder(for:)": ImageCoderRegistry.decoder(for:),
            "ImageCoderRegistry.encoder(for:)": ImageCoderRegistry.encoder(for:),
            "ImageCoderRegistry.info(of:isComplete:limits:)": ImageCoderRegistry.info(of:isComplete:limits:),
            "ImageCoderRegistry.init(decoders:encoders:)": ImageCoderRegistry.init(decoders:encoders:),
            "ImageCoderRegistry.standard": ImageCoderRegistry.standard,
            "FormatSniffer.format(of:)": FormatSniffer.format(of:),
        ]
    }

    /// Pixels, and what is made of them.
    private static var pictures: [String: Any] {
        [
            "Image": Image.self, "Orientation": Orientation.self, "PixelBuffer": PixelBuffer.self,
            "PixelSize": PixelSize.self, "ImageTransformer": (any ImageTransformer).self,
            "ResizeTransformer": ResizeTransformer.self,
            "Image.info": \Image.info, "Image.isThumbnail": \Image.isThumbnail, "Image.memoryCost": \Image.memoryCost,
            "Image.scale": \Image.scale, "Image.size": \Image.size,
            "ImageInfo.durations": \ImageInfo.durations, "ImageInfo.format": \ImageInfo.format,
            "ImageInfo.frameCount": \ImageInfo.frameCount, "ImageInfo.hasAlpha": \ImageInfo.hasAlpha,
            "ImageInfo.loopCount": \ImageInfo.loopCount,
            "ImageFormat.avif": ImageFormat.avif, "ImageFormat.bmp": ImageFormat.bmp,
            "ImageFormat.fileExtension": \ImageFormat.fileExtension, "ImageFormat.gif": ImageFormat.gif,
            "ImageFormat.heic": ImageFormat.heic, "ImageFormat.ico": ImageFormat.ico,
            "ImageFormat.init(fileExtension:)": ImageFormat.init(fileExtension:),
            "ImageFormat.isVector": \ImageFormat.isVector, "ImageFormat.jpeg": ImageFormat.jpeg,
            "ImageFormat.jxl": ImageFormat.jxl, "ImageFormat.mediaType": \ImageFormat.mediaType,
            "ImageFormat.png": ImageFormat.png, "ImageFormat.svg": ImageFormat.svg,
            "ImageFormat.tiff": ImageFormat.tiff, "ImageFormat.webp": ImageFormat.webp,
            "PixelBuffer.color(x:y:)": PixelBuffer.color(x:y:), "PixelBuffer.colors(in:)": PixelBuffer.colors(in:),
            "Color": Color.self, "BlendMode": BlendMode.self, "CropTransformer": CropTransformer.self,
            "RotateTransformer": RotateTransformer.self, "RoundCornersTransformer": RoundCornersTransformer.self,
            "CircleTransformer": CircleTransformer.self, "FlipTransformer": FlipTransformer.self,
            "TintTransformer": TintTransformer.self, "BlurTransformer": BlurTransformer.self,
            "ColorTransformer": ColorTransformer.self, "ClosureTransformer": ClosureTransformer.self,
            "TransformerChain": TransformerChain.self, "SDWebImageKeys": SDWebImageKeys.self,
            "PixelSize.fitted(into:)": PixelSize.fitted(into:),
            "ImageTransformer.identifier": { (transformer: any ImageTransformer) in transformer.identifier },
            "ImageTransformer.transform(_:)": { (transformer: any ImageTransformer, pixels: PixelBuffer) throws in
                try transformer.transform(pixels)
            },
            "ResizeTransformer.transform(_:)": ResizeTransformer.transform(_:),
            "ResizeTransformer.Mode.fill": ResizeTransformer.Mode.fill,
            "ResizeTransformer.Mode.fit": ResizeTransformer.Mode.fit,
            "ResizeTransformer.Mode.stretch": ResizeTransformer.Mode.stretch,
        ]
    }

    /// Pictures before anyone asks.
    private static var prefetching: [String: Any] {
        [
            "ImagePrefetcher": ImagePrefetcher.self, "PrefetchBatch": PrefetchBatch.self,
            "ImagePrefetcher.cancel(_:)": ImagePrefetcher.cancel(_:),
            "ImagePrefetcher.cancelAll()": ImagePrefetcher.cancelAll,
            "ImagePrefetcher.init(_:settings:)": ImagePrefetcher.init(_:settings:),
            "ImagePrefetcher.isPaused": \ImagePrefetcher.isPaused,
            "ImagePrefetcher.pipeline": \ImagePrefetcher.pipeline,
            "ImagePrefetcher.prefetch(_:)":
                { (prefetcher: ImagePrefetcher, requests: [ImageRequest]) in prefetcher.prefetch(requests) },
            "ImagePrefetcher.prefetch(_:as:)":
                { (prefetcher: ImagePrefetcher, urls: [URL]) in prefetcher.prefetch(urls, as: nil) },
            "PrefetchSettings.concurrency": \PrefetchSettings.concurrency,
            "PrefetchSettings.destination": \PrefetchSettings.destination,
            "PrefetchSettings.priority": \PrefetchSettings.priority,
            "PrefetchSettings.Destination.disk": PrefetchSettings.Destination.disk,
            "PrefetchBatch.cancel()": PrefetchBatch.cancel, "PrefetchBatch.progress": \PrefetchBatch.progress,
            "PrefetchBatch.updates": \PrefetchBatch.updates,
            "PrefetchBatch.wait()": { (batch: PrefetchBatch) async in await batch.wait() },
            "PrefetchProgress.finished": \PrefetchProgress.finished,
            "PrefetchProgress.isComplete": \PrefetchProgress.isComplete,
            "PrefetchProgress.skipped": \PrefetchProgress.skipped,
        ]
    }

    /// How pictures are shown.
    private static var views: [String: Any] {
        [
            "ImageBinding": ImageBinding.self, "ImageDisplay": (any ImageDisplay).self,
            "LoadIndicator": (any LoadIndicator).self, "Presentation": Presentation.self,
            "ImageTransition": ImageTransition.self,
            "ImageBinding.cancel()": { @MainActor (binding: ImageBinding) in binding.cancel() },
            "ImageBinding.indicator": { @MainActor (binding: ImageBinding) in binding.indicator },
            "ImageBinding.load(_:_:receive:)":
                { @MainActor (binding: ImageBinding) in binding.load(nil, Presentation(), receive: nil) },
            "ImageBinding.pipeline": { @MainActor (binding: ImageBinding) in binding.pipeline },
            "ImageBinding.progress": { @MainActor (binding: ImageBinding) in binding.progress },
            "ImageBinding.request": { @MainActor (binding: ImageBinding) in binding.request },
            "ImageBinding.task": { @MainActor (binding: ImageBinding) in binding.task },
            "ImageDisplay.scale": { @MainActor (display: any ImageDisplay) in display.scale },
            "ImageDisplay.show(_:)": { @MainActor (display: any ImageDisplay, image: Image) in display.show(image) },
            "ImageDisplay.show(_:with:whenDone:)": { @MainActor (display: any ImageDisplay, image: Image) in
                display.show(image, with: .fade, whenDone: {})
            },
            "ImageDisplay.showNothing()": { @MainActor (display: any ImageDisplay) in display.showNothing() },
            "ImageDisplay.wantedSize": { @MainActor (display: any ImageDisplay) in display.wantedSize },
            "LoadIndicator.update(_:)":
                { @MainActor (indicator: any LoadIndicator) in indicator.update(LoadProgress()) },
            "Presentation.completion": \Presentation.completion, "Presentation.delivery": \Presentation.delivery,
            "Presentation.failureImage": \Presentation.failureImage,
            "Presentation.replacement": \Presentation.replacement, "Presentation.sizing": \Presentation.sizing,
            "Presentation.transition": \Presentation.transition,
            "Presentation.whileLoading": \Presentation.whileLoading,
            "Presentation.Completion.afterTransition": Presentation.Completion.afterTransition,
            "Presentation.Delivery.manual": Presentation.Delivery.manual,
            "Presentation.Replacement.besideFormer": Presentation.Replacement.besideFormer,
            "Presentation.Replacement.cancelsFormer": Presentation.Replacement.cancelsFormer,
            "Presentation.Sizing.fitsDisplay": Presentation.Sizing.fitsDisplay,
            "Presentation.WhileLoading.placeholder": Presentation.WhileLoading.placeholder,
            "ImageTransition.duration": \ImageTransition.duration, "ImageTransition.fade": ImageTransition.fade,
            "ImageTransition.when": \ImageTransition.when, "ImageTransition.Kind.fade": ImageTransition.Kind.fade,
            "ImageTransition.Kind.slideFromBottom": ImageTransition.Kind.slideFromBottom,
            "ImageTransition.Kind.slideFromLeft": ImageTransition.Kind.slideFromLeft,
            "ImageTransition.Kind.slideFromRight": ImageTransition.Kind.slideFromRight,
            "ImageTransition.Kind.slideFromTop": ImageTransition.Kind.slideFromTop,
            "ImageTransition.When.always": ImageTransition.When.always,
            "ImageTransition.When.waitedFor": ImageTransition.When.waitedFor,
        ]
    }
}
