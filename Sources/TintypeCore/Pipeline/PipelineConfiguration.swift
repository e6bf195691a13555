public import Logging

/// The parts and limits of an ``ImagePipeline``; a value, fixed once the pipeline is made.
///
/// The umbrella module's `PipelineConfiguration.standard()` fills it with everything that Tintype has.
public struct PipelineConfiguration: Sendable {
    /// Where bytes come from; the last is asked first. By default files, data URLs, bytes and closures.
    public var loaders: [any ImageLoader] = [FileLoader(), DataURLLoader(), ClosureLoader()]

    /// The codecs. None by default.
    public var coders = ImageCoderRegistry()

    /// Decoded pictures in memory and encoded ones on disk. By default memory alone.
    public var cache: any ImageCaching = ImageCache()

    /// What a picture may cost to decode.
    public var decodeLimits = DecodeLimits()

    /// The most bytes that one picture may have encoded: 64 MB by default.
    public var maximumByteCount = 64 << 20

    /// Rewrite requests before their keys are made, the first one first.
    public var interceptors: [any RequestInterceptor] = []

    /// Watch what happens.
    public var observers: [any PipelineObserver] = []

    /// Asked before anything is loaded from outside; what it does not let through is ``TintypeError/Code/refused``.
    /// Called on any thread, the caller's among them: has to be quick.
    public var shouldLoad: @Sendable (ImageRequest) -> Bool = { _ in true }

    /// What is remembered of sources that failed.
    public var failureMemory = FailureMemory()

    /// How finished renditions are encoded for the disk.
    public var encodeOptions = EncodeOptions()

    /// Chooses the bytes that are kept on disk, where they are not to be the usual ones.
    public var serializer: CacheSerializer?

    /// The clocks; only tests need others.
    public var time = TimeSource.system

    /// Where the pipeline says what it could not do without failing a request.
    public var logger = Logger(label: "tintype")

    public init() {}
}

extension PipelineConfiguration {
    /// The request as the interceptors leave it.
    func intercepted(_ request: ImageRequest) -> ImageRequest {
        interceptors.reduce(request) { $1.intercept($0) }
    }
}
