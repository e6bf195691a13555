public import Logging

/// The components and limits of an ``ImagePipeline``. They are fixed when the pipeline is created.
///
/// `PipelineConfiguration.standard()` of the umbrella module includes all loaders, codecs and caches of Tintype.
public struct PipelineConfiguration: Sendable {
    /// The loaders; the last one is asked first. By default the loaders of files, data URLs, bytes and closures.
    public var loaders: [any ImageLoader] = [FileLoader(), DataURLLoader(), ClosureLoader()]

    /// The codecs. By default none.
    public var coders = ImageCoderRegistry()

    /// The cache of decoded images in memory and encoded ones on disk. By default only memory.
    public var cache: any ImageCaching = ImageCache()

    /// The limits on what a decoder may spend on one image.
    public var decodeLimits = DecodeLimits()

    /// The largest number of encoded bytes of one image. By default 64 MB.
    public var maximumByteCount = 64 << 20

    /// The interceptors that rewrite requests before their keys are computed, in order of application. By default none.
    public var interceptors: [any RequestInterceptor] = []

    /// The interceptors that decide about loads and may wait, in order. By default none.
    public var asyncInterceptors: [any AsyncRequestInterceptor] = []

    /// The properties by which caches distinguish the images of local files. By default they also compare the
    /// modification time and the size, so that a changed file is loaded again.
    public var fileIdentity = FileIdentity.modification

    /// The observers of the pipeline's events. By default none.
    public var observers: [any PipelineObserver] = []

    /// Returns whether a request may load bytes that no cache has. If it returns `false`, the request fails with
    /// ``TintypeError/Code/refused``. Called on any thread, including the caller's, so it must be fast.
    ///
    /// The server guard of a downloader in ``loaders`` applies in addition, whatever this returns.
    public var shouldLoad: @Sendable (ImageRequest) -> Bool = { _ in true }

    /// Returns whether to save data now, for example on a metered connection; `false` by default. Requests with
    /// ``ImageRequest/lowData`` then load that source instead. Called on any thread, and must be fast. On machines with
    /// NetworkManager, ``NetworkMonitor/isMetered`` is a suitable value.
    public var savesData: @Sendable () -> Bool = { false }

    /// Which failed sources are remembered, and for how long.
    public var failureMemory = FailureMemory.Settings()

    /// The options for encoding renditions for the disk.
    ///
    /// If ``EncodeOptions/maximumSize`` is set, the rendition on disk may be smaller than the one in memory. A
    /// rendition that exceeds ``EncodeOptions/maximumByteCount`` even at the lowest quality is not stored on disk.
    public var encodeOptions = EncodeOptions()

    /// The serializer that chooses the bytes to store on disk; `nil`, the default, stores the standard form.
    public var serializer: CacheSerializer?

    /// The clocks. Only tests replace them.
    public var time = TimeSource.system

    /// The log. Failures that do not make a request fail are logged as warnings, loads at `debug`, and stages at
    /// `trace`.
    public var logger = Logger(label: "tintype")

    /// Creates the default configuration.
    public init() {}
}

extension PipelineConfiguration {
    /// Returns the request after all request interceptors, with the identity of its file.
    ///
    /// - Parameter guards: Decide whether the file may be touched.
    func intercepted(_ request: ImageRequest, allowedBy guards: LoaderGuards) -> ImageRequest {
        identified(
            interceptors.isEmpty ? request : interceptors.reduce(request) { $1.intercept($0) }, allowedBy: guards)
    }

    /// Returns the request with the identity of its file.
    ///
    /// - Parameter guards: Decide whether the file may be touched.
    func identified(_ request: ImageRequest, allowedBy guards: LoaderGuards) -> ImageRequest {
        guard request.facts.isForFile, fileIdentity == .modification, guards.refusal(of: request) == nil else {
            return request
        }
        return request.identifiedByModification()
    }
}
