public import TintypeCore

/// Binds loads to one image slot of a view, such as its image or its background.
///
/// A view keeps one binding for each slot (``ImageSlots``). The display shows the image that was requested last: a
/// reused view never shows the image of a former request. An image in memory is shown before
/// ``load(_:presentation:receive:)`` returns.
///
/// A binding cancels its loads and stops its indicator when it is deallocated, for example together with the view that
/// owns it. The binding does not own its display. If the display is deallocated first, the next event of any load
/// cancels all of them.
@MainActor public final class ImageBinding {
    /// The pipeline that loads the images.
    public let pipeline: ImagePipeline
    /// The indicator that runs during loads. An indicator that is set during a load is started at once.
    public var indicator: (any LoadIndicator)? {
        didSet {
            guard state.isIndicating, oldValue !== indicator else { return }
            oldValue?.stop()
            indicator?.start()
        }
    }
    /// What the view itself does during loads, besides ``indicator``, which belongs to the program.
    package var ownIndicator: (any LoadIndicator)?
    var indicators: [any LoadIndicator] { [ownIndicator, indicator].compactMap(\.self) }
    /// The newest request, as rewritten by the pipeline's interceptors; `nil` after ``clear(presentation:receive:)``.
    public internal(set) var request: ImageRequest?
    /// The progress of the newest load. It is complete when the load has succeeded, from a cache as well.
    public internal(set) var progress = LoadProgress()
    /// The error of the newest load, if it has failed.
    public internal(set) var failure: TintypeError?
    /// The content of the display.
    public internal(set) var content = ImageContent.nothing
    /// The size that the display expects: see ``ImageDisplay/expect(_:)``.
    public internal(set) var expectedSize: ExpectedSize?

    weak var display: (any ImageDisplay)?
    var state = BindingState()
    /// The loads that have not ended, by their numbers in ``state``.
    var loads: [Int: BoundLoad] = [:]
    /// The newest request and its presentation, as the program gave them; `nil` if there is none to repeat.
    var newest: (request: ImageRequest, presentation: Presentation)?
    /// The request of the image that was shown last, as the program gave it, the decode options for the display, and
    /// the request as it was loaded. The image may have been replaced since: compare the key with that of ``state``.
    var shown: (original: ImageRequest, decode: DecodeOptions, request: ImageRequest)?
    /// The visibility of the display.
    var isDisplayVisible = true
    /// The transition that the display may be showing. The display owns it.
    weak var transition: RunningTransition?
    /// The receiver to notify when ``transition`` ends.
    var transitionEnd: LoadReceiver?
    /// Ends the grace periods of hidden loads. Created when the first one begins.
    var timer: (any PlaybackTimer)?
    let makeTimer: @MainActor () -> any PlaybackTimer

    /// A function that receives every event of a load, its end included.
    public typealias Receiver = @MainActor @Sendable (ImageEvent) -> Void

    /// Creates a binding for a display, which it does not retain.
    ///
    /// - Parameters:
    ///   - display: What shows the images; it is not retained.
    ///   - pipeline: What loads the images.
    ///   - makeTimer: Returns a timer for this binding alone, for the time after which a hidden display pauses its
    ///     loads. Called at most once.
    public init(
        _ display: any ImageDisplay, pipeline: ImagePipeline,
        makeTimer: (@MainActor () -> any PlaybackTimer)? = nil
    ) {
        self.display = display
        self.pipeline = pipeline
        self.makeTimer = makeTimer ?? { SystemPlaybackTimer() }
    }

    isolated deinit {
        for load in loads.values { load.task?.cancel() }
        if state.isIndicating { for indicator in indicators { indicator.stop() } }
    }

    /// The newest load that is running; `nil` if there is none.
    public var task: ImageTask? { loads.filter { $0.value.task != nil }.max { $0.key < $1.key }?.value.task }

    /// The activity of the newest load.
    public var activity: Activity {
        switch loads[state.lastLoad]?.schedule.phase {
        case nil: .idle
        case .deferred: .deferred
        case .running: .loading
        case .paused: .paused
        }
    }

    /// The activity of a binding.
    public enum Activity: Hashable, Sendable {
        /// No image was requested, or the load has ended.
        case idle
        /// The load waits for ``ImageBinding/begin()``.
        case deferred
        /// The load is running.
        case loading
        /// The load was stopped because the display is hidden. It starts again when the display is visible.
        case paused
    }

    /// Loads and shows the image of a request. If the display already shows that image, it stays.
    ///
    /// - Parameters:
    ///   - request: The request, before any interceptor.
    ///   - presentation: How the display presents the load: its placeholder, failure image, start and transition.
    ///   - receive: Receives the header, progress, previews, and the end exactly once, on the main actor. If the
    ///     binding or its display is released first, the end is `TintypeError.Code.cancelled`.
    public func load(
        _ request: ImageRequest, presentation: Presentation = Presentation(), receive: Receiver? = nil
    ) {
        start(request, presentation, LoadReceiver(receive))
    }

    /// Cancels all loads and removes the image, for a view that has nothing to show.
    ///
    /// - Parameters:
    ///   - presentation: Its placeholder, if there is one, is shown instead.
    ///   - receive: Receives `TintypeError.Code.invalidSource`, for callers that treat a missing source as a failure.
    public func clear(presentation: Presentation = Presentation(), receive: Receiver? = nil) {
        (request, newest, failure) = (nil, nil, nil)
        progress = LoadProgress()
        expect(ExpectedSize(presentation))
        let receiver = LoadReceiver(receive)
        receiver?.settle(.failure(.noSource))
        end(perform(state.clear(presentation), ShownImages(presentation)) + [receiver])
    }

    /// Cancels all loads. The display keeps its image.
    public func cancel() {
        end(perform(state.cancel(), ShownImages()))
    }
}

extension TintypeError {
    /// The display was cleared: there is no source to load.
    fileprivate static let noSource = TintypeError(.invalidSource, stage: .request, "no image was requested")
}
