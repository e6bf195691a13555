import Foundation
import Tintype

/// The symbols that `FromSDWebImage.md` names, spelled as in that document. Each has an expression that compiles
/// only if the symbol exists.
///
/// The table is in pieces, because the compiler is slow on large literals.
enum MappingSymbols {
    static var all: [String: Any] {
        let parts = [
            request, pipeline, errors, observers, loading, transfers, caches, cacheForms, sharedCaches, coding, codecs,
            images, animation, prefetching, views, transitions, seams,
        ]
        return parts.reduce(into: [:]) { all, part in all.merge(part) { first, _ in first } }
    }

    /// Requests, renditions and policies.
    private static var request: [String: Any] {
        [
            "ImageRequest": ImageRequest.self, "ImageSource": ImageSource.self, "HTTPSource": HTTPSource.self,
            "Rendition": Rendition.self, "TransformScope": TransformScope.self, "DecodeOptions": DecodeOptions.self,
            "NamedDecoder": NamedDecoder.self, "LoadPolicy": LoadPolicy.self, "CacheRules": CacheRules.self,
            "RequestOverrides": RequestOverrides.self, "RequestExtras": RequestExtras.self,
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
            "DecodeOptions.Size.fit": DecodeOptions.Size.fit, "DecodeOptions.Size.shrink": DecodeOptions.Size.shrink,
            "DecodeOptions.Size.target(for:)": DecodeOptions.Size.target(for:),
            "LoadPolicy.delivery.completion": \LoadPolicy.delivery.completion,
            "LoadPolicy.delivery.data": \LoadPolicy.delivery.data,
            "LoadPolicy.failureMemory": \LoadPolicy.failureMemory, "LoadPolicy.freshness": \LoadPolicy.freshness,
            "LoadPolicy.caching.original": \LoadPolicy.caching.original,
            "LoadPolicy.preparation": \LoadPolicy.preparation,
            "LoadPolicy.delivery.previews": \LoadPolicy.delivery.previews,
            "LoadPolicy.caching.rendition": \LoadPolicy.caching.rendition,
            "LoadPolicy.caching.form": \LoadPolicy.caching.form,
            "LoadPolicy.Completion.whenReady": LoadPolicy.Completion.whenReady,
            "LoadPolicy.Completion.whenStored": LoadPolicy.Completion.whenStored,
            "LoadPolicy.DataDelivery.always": LoadPolicy.DataDelivery.always,
            "LoadPolicy.FailureMemoryUse.ignored": LoadPolicy.FailureMemoryUse.ignored,
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
            "CacheKey.rendition": \CacheKey.rendition, "CacheKey.source": \CacheKey.source,
            "ImagePriority.high": ImagePriority.high, "ImagePriority.low": ImagePriority.low,
            "ImagePriority.normal": ImagePriority.normal,
        ]
    }

    /// The pipeline and its results.
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
            "ImagePipeline.failureMemory": \ImagePipeline.failureMemory,
            "ImagePipeline.flush()": { (pipeline: ImagePipeline) async throws in try await pipeline.flush() },
            "ImagePipeline.image(for:)": { (pipeline: ImagePipeline, request: ImageRequest) async throws in
                try await pipeline.image(for: request)
            },
            "ImagePipeline.init(_:)": ImagePipeline.init(_:),
            "ImagePipeline.load(_:onEvent:)":
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
            "PipelineConfiguration.standard(downloader:memory:disk:sandbox:)":
                PipelineConfiguration.standard(downloader:memory:disk:sandbox:),
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
            "ImageResponse.revalidationFailure": \ImageResponse.revalidationFailure,
            "ImageOrigin.custom": ImageOrigin.custom, "ImageOrigin.data": ImageOrigin.data,
            "ImageOrigin.disk": ImageOrigin.disk, "ImageOrigin.file": ImageOrigin.file,
            "ImageOrigin.memory": ImageOrigin.memory, "ImageOrigin.network": ImageOrigin.network,
            "FailureMemory.all": \FailureMemory.all,
            "FailureMemory.forget(_:)": { (failures: FailureMemory, request: ImageRequest) in failures.forget(request)
            },
            "FailureMemory.forgetAll()": FailureMemory.forgetAll,
            "FailureMemory.Settings.capacity": \FailureMemory.Settings.capacity,
            "FailureMemory.Settings.timeToLive": \FailureMemory.Settings.timeToLive,
            "FailureMemory.Settings.shouldRemember": \FailureMemory.Settings.shouldRemember,
        ]
    }

    /// Errors.
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

    /// Observers.
    private static var observers: [String: Any] {
        [
            "StageOutcome": StageOutcome.self, "PipelineMetrics": PipelineMetrics.self,
            "TraceRecorder": TraceRecorder.self,
            "PipelineObserver.observe(_:)":
                { (observer: any PipelineObserver, event: PipelineEvent) in observer.observe(event) },
            "PipelineEvent.responseBegan": PipelineEvent.responseBegan, "PipelineEvent.evicted": PipelineEvent.evicted,
            "PipelineEvent.loadBegan": PipelineEvent.loadBegan, "PipelineEvent.loadEnded": PipelineEvent.loadEnded,
            "PipelineEvent.lookedUp": PipelineEvent.lookedUp, "PipelineEvent.stageBegan": PipelineEvent.stageBegan,
            "PipelineEvent.stageEnded": PipelineEvent.stageEnded,
            "StageRun.id": \StageRun.id, "StageRun.key": \StageRun.key, "StageRun.stage": \StageRun.stage,
            "StageOutcome.error": \StageOutcome.error,
        ]
    }
}
