import Foundation
import Logging

/// The state that all loads of one pipeline share: the configuration, the tables of running jobs, and the records of
/// earlier loads.
final class PipelineServices: Sendable {
    let configuration: PipelineConfiguration
    private let loaders: ImageLoaderChain
    /// The media types that the pipeline can decode: see ``LoadContext/accept``.
    let accept: String?
    /// The restrictions on what the pipeline loads, and uses from caches.
    let guards: LoaderGuards
    /// The jobs that make renditions.
    let renditions = ImageLoad.Jobs()
    /// The jobs that decode originals.
    let originals = ImageLoad.Jobs()
    /// The running loads of loaders without a table of their own.
    let loads = ByteLoads()
    /// Holds loads back while the pipeline is paused.
    let pause = LoadPause()
    /// Original bytes on their way from a loader to the disk.
    let handover = Locked(ByteHandover())
    /// Renditions that wait to be encoded for the disk; the cost is in bytes.
    let background = BackgroundTasks(budget: 256 << 20)
    /// Images that are revalidated in the background, at most 64 at once.
    let revalidations = BackgroundTasks(budget: 64)
    /// The originals that are revalidated in the background now.
    let revalidating = Locked<Set<JobKey>>([])
    /// The decoded sizes of each source in memory.
    let decodedSizes = Locked(DecodedSizeTable())
    /// The caches and loaders in the overrides of requests that may have unwritten data.
    private let flushTargets = Locked(FlushTargets())
    /// The last date at which bytes were received.
    private let lastReceipt = Locked(Date.distantPast)
    /// The sources that failed.
    let failureMemory: FailureMemory
    let watch: StageWatch

    init(_ configuration: PipelineConfiguration) {
        self.configuration = configuration
        loaders = ImageLoaderChain(configuration.loaders)
        accept = configuration.coders.accept
        let guards = LoaderGuards(loaders.guards)
        self.guards = guards
        failureMemory = FailureMemory(
            configuration.failureMemory, time: configuration.time,
            name: { configuration.intercepted($0, allowedBy: guards).key.source })
        let log: [any PipelineObserver] =
            configuration.logger.logLevel <= .debug ? [PipelineLog(logger: configuration.logger)] : []
        watch = StageWatch(configuration.observers + log, time: configuration.time)
    }

    /// Returns the request after all request interceptors. They also rewrite each of its other sources, as a separate
    /// request.
    func intercepted(_ request: ImageRequest) -> ImageRequest {
        let intercepted = configuration.intercepted(request, allowedBy: guards)
        guard intercepted.facts.hasOtherSources else { return intercepted }
        let plain = request.withoutOtherSources
        return intercepted.with {
            $0.others = OtherRequests(of: intercepted) { source in
                configuration.intercepted(plain.with { $0.source = source }, allowedBy: guards)
            }
        }
    }

    /// Returns a request that an ``AsyncRequestInterceptor`` has rewritten, with the requests for its additional
    /// sources: those of the former request, and new ones for sources that the interceptor has added.
    func completed(_ request: ImageRequest, from former: ImageRequest) -> ImageRequest {
        guard request.facts.hasOtherSources, request.others == nil else { return request }
        let plain = former.withoutOtherSources
        return request.with {
            $0.others = OtherRequests(of: request) { source in
                former.otherRequest(for: source)
                    ?? configuration.identified(plain.with { $0.source = source }, allowedBy: guards)
            }
        }
    }

    /// Returns the date for bytes that were received now. It differs from all earlier dates, because the date of its
    /// bytes identifies the version of an image.
    func receiptDate() -> Date {
        let now = configuration.time.date()
        return lastReceipt.withLock { last in
            let isClockSetBack = last.timeIntervalSince(now) > 1
            // More than the caches lose by rounding.
            last = isClockSetBack ? now : max(now, last.addingTimeInterval(0.000_004))
            return last
        }
    }

    /// Returns the image of a request in memory, if its policy and all guards let memory answer.
    func cachedImage(for request: ImageRequest) -> Image? {
        guard request.facts.readsMemory, guards.refusal(of: request) == nil else { return nil }
        // Plain requests avoid `cache(for:)` and `watch.including(_:)`, whose copies would be a large part of the cost
        // of a hit.
        let image: Image?
        if request.facts.isCustomized {
            image = cache(for: request).image(for: request.key)
            watch.including(request).report(.lookedUp(request.key, in: .memory, found: image != nil))
        } else {
            image = configuration.cache.image(for: request.key)
            watch.report(.lookedUp(request.key, in: .memory, found: image != nil))
        }
        guard let image else { return nil }
        return request.finishing(image)
    }
}

// MARK: - Flushing

extension PipelineServices {
    /// Records that a load may have left something to write in a cache or a loader that its request brings, so that a
    /// flush includes them. Does nothing for other requests. Called after the store or load: a flush in between would
    /// otherwise forget them.
    func didStore(for request: ImageRequest) {
        guard let overrides = request.overrides, let evicted = flushTargets.withLock({ $0.add(overrides) }) else {
            return
        }
        background.add(cost: 0) {
            _ = await TintypeError.thrown { () throws(TintypeError) in try await evicted.flush() }
        }
    }

    /// Waits until the loaders and caches of the pipeline, and those in the overrides of requests, have written
    /// everything.
    ///
    /// - Throws: The first error, after all of them have been flushed.
    func flush() async throws(TintypeError) {
        let own = FlushTarget(loaders: ImageLoaderChain(configuration.loaders).flushable, caches: [configuration.cache])
        var first: TintypeError?
        for target in [own] + flushTargets.withLock({ $0.takeAll() }) {
            let error = await TintypeError.thrown { () throws(TintypeError) in try await target.flush() }
            first = first ?? error
        }
        if let first { throw first }
    }
}

// MARK: - Jobs

extension PipelineServices {
    /// Where the loads of other sources of a request begin.
    var startOfOtherSources: JobStart {
        configuration.asyncInterceptors.isEmpty ? .caches : .interceptorsOfOtherSource
    }

    /// Subscribes to the job that makes a rendition. Starts the job if there is none.
    ///
    /// - Parameter start: Where the job begins.
    func attach(
        _ request: ImageRequest, from start: JobStart, at priority: ImagePriority,
        receiver: any JobReceiver<ImageResponse, LoadStatus>
    ) -> JobSubscription {
        renditions.attach(JobKey(rendition: request, from: start, bytes: nil), at: priority, receiver: receiver) {
            renditionWork(request, from: start, bytes: nil)
        }
    }

    /// Joins or starts the job that makes another rendition for a load, and waits for it. Its progress and previews are
    /// reported as those of the load.
    ///
    /// - Parameter start: Where the job begins.
    func join(
        _ request: ImageRequest, from start: JobStart = .caches, for load: ImageLoad
    ) async throws(TintypeError) -> ImageResponse {
        try await renditions.value(
            JobKey(rendition: request, from: start, bytes: load.currentBytes), for: load.job,
            onStatus: load.reporter.report, work: renditionWork(request, from: start, bytes: load.currentBytes))
    }

    /// Returns the work of the job that makes a rendition. The key of that job has the same parts.
    ///
    /// - Parameter bytes: The bytes that the origin has confirmed or sent, if the load has asked it.
    private func renditionWork(
        _ request: ImageRequest, from start: JobStart, bytes: LoadedBytes?
    ) -> ImageLoad.Jobs.Work {
        { [self] (job, reporter) throws(TintypeError) in
            let load = ImageLoad(request: request, services: self, job: job, reporter: reporter, currentBytes: bytes)
            return start == .caches ? try await load.run() : try await load.loadIntercepted(from: start)
        }
    }
}

// MARK: - Components of the pipeline or of the request

extension PipelineServices {
    /// The cache for the rendition of a request.
    func cache(for request: ImageRequest) -> any ImageCaching {
        request.overrides?.cache ?? configuration.cache
    }

    /// The cache for the original of a request.
    func originalCache(for request: ImageRequest) -> any ImageCaching {
        request.overrides?.originalCache ?? cache(for: request)
    }

    func serializer(for request: ImageRequest) -> CacheSerializer? {
        request.overrides?.serializer ?? configuration.serializer
    }

    /// The loaders that a request may use: those of the pipeline, or the request's own.
    func loaders(for request: ImageRequest) -> ImageLoaderChain {
        request.overrides?.loader.map { ImageLoaderChain([$0]) } ?? loaders
    }

    /// Checks whether a request may load bytes that no cache has. The guards of the loaders and the program's
    /// ``PipelineConfiguration/shouldLoad`` must all allow it.
    ///
    /// - Throws: The error of a guard, or ``TintypeError/Code/refused``.
    func checkAllowed(_ request: ImageRequest) throws(TintypeError) {
        if let refusal = guards.refusal(of: request) { throw refusal }
        guard configuration.shouldLoad(request) else {
            throw TintypeError(.refused, stage: .load, "the program's shouldLoad does not allow this request")
        }
    }

    /// The identity of a request's bytes among running loads; `nil` for the identity of its source.
    ///
    /// An ``ImageRequest/identity`` is valid in this pipeline only, because another pipeline may use it for other
    /// bytes. It is ignored with ``LoadPolicy/Freshness/http``, because the origin may distinguish sources that have
    /// the same identity.
    func byteIdentity(of request: ImageRequest) -> String? {
        guard let name = request.identity, name != request.source.identity, request.policy.freshness != .http else {
            return nil
        }
        return "\(ObjectIdentifier(self)) \(name)"
    }
}

extension ImageCoderRegistry {
    /// The formats that can be decoded, as an `Accept` field (RFC 9110, 12.5.1): first these, then any image, then
    /// anything. Without the last two, some servers answer with status 406. `nil` if there are no decoders.
    var accept: String? {
        let types = decodableFormats.map(\.mediaType)
        return types.isEmpty ? nil : (types + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ",")
    }
}
