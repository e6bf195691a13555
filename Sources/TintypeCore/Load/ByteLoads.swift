import Foundation

/// A table of running loads of original bytes, in which equal loads are shared.
///
/// A loader that also serves callers without a pipeline has a table of its own (``SharedLoader``). The loads by all
/// other loaders are in the table of their pipeline. Callers in other modules join a load here: in this module, the
/// compiler specialises the ``JobRunner`` for these types.
package final class ByteLoads: Sendable {
    /// What a load is reported to.
    package typealias Receiver = JobReceiver<LoadedBytes, ReceivedBytes>
    /// The work of a load.
    package typealias Work =
        @Sendable (JobContext, JobReporter<ReceivedBytes>) async throws(TintypeError) -> LoadedBytes

    let jobs = JobRunner<ByteLoadKey, LoadedBytes, ReceivedBytes>()

    /// Creates a table without loads. Their work must leave the calling thread before user code runs.
    package init() {}

    /// The number of running loads, however many callers wait for each.
    package var count: Int { jobs.count }

    /// The number of running loads and of their subscribers.
    var activity: JobActivity { jobs.activity }

    /// Joins or starts a load. See ``JobRunner/attach(_:at:receiver:work:)``.
    package func attach(
        _ key: ByteLoadKey, at priority: ImagePriority, receiver: any Receiver, work: () -> Work
    ) -> JobSubscription {
        jobs.attach(key, at: priority, receiver: receiver, work: work)
    }

    /// Waits for a load inside a job. See ``JobRunner/value(_:for:onStatus:work:)``.
    package func value(
        _ key: ByteLoadKey, for parent: JobContext, onStatus: @escaping @Sendable (ReceivedBytes) -> Void,
        work: @escaping Work
    ) async throws(TintypeError) -> LoadedBytes {
        try await jobs.value(key, for: parent, onStatus: onStatus, work: work)
    }

    /// Ends every load with ``TintypeError/Code/cancelled``.
    package func cancelAll() { jobs.cancelAll() }
}

/// A request to a loader for original bytes.
package struct ByteRequest: Sendable {
    /// The source of the bytes.
    package let source: ImageSource
    /// The identity of the bytes among the loads of one table: ``ImageSource/identity``, or a name from the request.
    package let identity: String
    /// The request's settings for loaders.
    package let extras: RequestExtras
    /// The largest number of bytes that the caller accepts.
    package let byteLimit: Int
    /// The media types that the caller can decode: see ``LoadContext/accept``.
    package let accept: String?
    /// The cache entry to revalidate.
    package let stored: CacheEntry?
    /// The cache on disk that will store the bytes, if the origin allows it.
    package let cache: (any SpillFileMaker)?

    /// Creates a request.
    ///
    /// - Parameter identity: The identity of the bytes; `nil` takes the identity of the source.
    package init(
        source: ImageSource, identity: String? = nil, extras: RequestExtras, byteLimit: Int, accept: String? = nil,
        stored: CacheEntry? = nil, cache: (any SpillFileMaker)? = nil
    ) {
        self.source = source
        self.identity = identity ?? source.identity
        self.extras = extras
        self.byteLimit = byteLimit
        self.accept = accept
        self.stored = stored
        self.cache = cache
    }
}

/// A loader that shares equal loads among all its callers: several pipelines, and programs that call it directly.
package protocol SharedLoader: ImageLoader {
    /// The loads that are running.
    var loads: ByteLoads { get }

    /// The key under which a load is shared.
    ///
    /// - Throws: An error if the loader accepts no more loads.
    func key(for request: ByteRequest) throws(TintypeError) -> ByteLoadKey

    /// The work of one load.
    func work(for request: ByteRequest) -> ByteLoads.Work

    /// Returns the judge of the cache entries that a request may use.
    func judge(for request: ByteRequest) async -> any EntryJudge
}

/// A loader that uses the table of its pipeline, because it has none of its own.
struct PipelineLoader: SharedLoader {
    let loader: any ImageLoader
    let loads: ByteLoads
    /// Tells equal sources with other loaders or policies apart.
    let scope: ByteLoadKey.Scope

    func key(for request: ByteRequest) -> ByteLoadKey { ByteLoadKey(request, in: scope) }

    func work(for request: ByteRequest) -> ByteLoads.Work {
        { [loader] (job, reporter) throws(TintypeError) in
            let received = ReceivedBytes(
                limit: request.byteLimit, for: request.cache, onProgress: reporter.report)
            let context = LoadContext(
                received: received, job: job, extras: request.extras, accept: request.accept, stored: request.stored)
            await NextStep.leaveThread()
            do throws(TintypeError) {
                return try await loader.load(request.source, context: context)
            } catch {
                throw job.failure(error)
            }
        }
    }

    func judge(for request: ByteRequest) -> any EntryJudge {
        LoaderJudge(loader: loader, source: request.source, extras: request.extras)
    }

    func canLoad(_ source: ImageSource) -> Bool { loader.canLoad(source) }

    func canLoad(_ request: ImageRequest) -> Bool { loader.canLoad(request) }

    func isLasting(_ error: TintypeError, of source: ImageSource) -> Bool { loader.isLasting(error, of: source) }

    @concurrent
    func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        try await loader.load(source, context: context)
    }
}

/// The key of a load of bytes. It is created for every caller that joins a load, so it only copies references.
package struct ByteLoadKey: Hashable, Sendable {
    private let identity: String
    private let extras: RequestExtras
    private let byteLimit: Int
    private let accept: String?
    /// The metadata of the cache entry to revalidate.
    private let stored: Data?
    private let scope: Scope

    /// A distinction between otherwise equal requests in one table.
    package enum Scope: Hashable, Sendable {
        /// The number of times that the loader's settings have changed. Loads under different settings are not shared.
        case generation(Int)
        /// The overrides of the request, which may name its loader, and its policy for the bytes.
        // Indirect, so that the keys of downloads stay small.
        indirect case request(RequestOverrides.Identity?, LoadPolicy)
    }

    /// Creates the key of a request.
    package init(_ request: ByteRequest, in scope: Scope) {
        identity = request.identity
        extras = request.extras
        byteLimit = request.byteLimit
        accept = request.accept
        stored = request.stored?.metadata
        self.scope = scope
    }

    /// Hashes only what differs often: each key is hashed twice for each load.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
        if !extras.isEmpty { hasher.combine(extras) }
    }
}
