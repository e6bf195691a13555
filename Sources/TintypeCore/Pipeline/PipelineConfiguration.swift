public import Foundation
public import Logging

/// The parts and limits of an ``ImagePipeline``, fixed once the pipeline is made.
///
/// `PipelineConfiguration.standard()` of the umbrella module fills it with everything that Tintype has.
public struct PipelineConfiguration: Sendable {
    /// The loaders; the last one is asked first. By default those of files, data URLs, bytes and closures.
    public var loaders: [any ImageLoader] = [FileLoader(), DataURLLoader(), ClosureLoader()]

    /// The codecs. By default none.
    public var coders = ImageCoderRegistry()

    /// The cache of decoded images in memory and encoded ones on disk. By default memory alone.
    public var cache: any ImageCaching = ImageCache()

    /// The limits on what a decoder may spend on one image.
    public var decodeLimits = DecodeLimits()

    /// The largest number of encoded bytes of one image. By default 64 MB.
    public var maximumByteCount = 64 << 20

    /// The interceptors that rewrite requests before their keys are made; the first one comes first. By default none.
    public var interceptors: [any RequestInterceptor] = []

    /// The observers of what happens in the pipeline. By default none.
    public var observers: [any PipelineObserver] = []

    /// Asked before anything is loaded from outside a cache; a request that it does not allow fails with
    /// ``TintypeError/Code/refused``. Called on any thread, the caller's among them, so it has to be quick.
    public var shouldLoad: @Sendable (ImageRequest) -> Bool = { _ in true }

    /// How sources that failed are remembered.
    public var failureMemory = FailureMemory.Settings()

    /// The options by which finished renditions are encoded for the disk.
    public var encodeOptions = EncodeOptions()

    /// Chooses other bytes than the usual ones to be stored on disk. By default none.
    public var serializer: CacheSerializer?

    /// The clocks. Only tests need others.
    public var time = TimeSource.system

    /// Takes warnings about what failed without failing a request; each load at `debug`, each stage at `trace`.
    public var logger = Logger(label: "tintype")

    /// Creates the default configuration.
    public init() {}
}

extension PipelineConfiguration {
    /// Returns the request as the interceptors leave it.
    func intercepted(_ request: ImageRequest) -> ImageRequest {
        interceptors.reduce(request) { $1.intercept($0) }
    }
}

/// Rewrites requests before their keys are made: defaults, other URLs, sizes that a server can produce itself.
public protocol RequestInterceptor: Sendable {
    /// Returns the request to load instead. Called on the caller's thread for every request, memory hits included, so it has to
    /// be quick.
    func intercept(_ request: ImageRequest) -> ImageRequest
}

/// The clocks of a pipeline. A test replaces them by ones that it moves.
public struct TimeSource: Sendable {
    /// Returns the time since an arbitrary moment. Never jumps.
    public var uptime: @Sendable () -> Duration
    /// Returns the calendar date. May jump.
    public var date: @Sendable () -> Date

    /// Creates clocks from two functions.
    public init(uptime: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date) {
        self.uptime = uptime
        self.date = date
    }

    /// The clocks of the machine.
    public static let system = TimeSource(
        uptime: { start.duration(to: .now) },
        date: { Date() })

    private static let start = ContinuousClock.now
}

extension Date {
    /// Returns this date, later by a duration.
    package func later(by duration: Duration) -> Date {
        let (seconds, attoseconds) = duration.components
        return addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }
}
