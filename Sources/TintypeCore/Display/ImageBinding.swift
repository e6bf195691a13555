/// Binds loads to one image slot of a view, such as its image or its background.
///
/// A view keeps one binding for each slot. The display shows the image that was requested last: a reused view never
/// shows the image of a former request. An image in memory is shown before ``load(_:presentation:receive:)`` returns.
///
/// A binding cancels its loads when it is deallocated, for example together with the view that owns it. The binding does
/// not own its display. If the display is deallocated first, each load is cancelled at its next event.
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
    /// The newest request, as rewritten by the pipeline's interceptors; `nil` after ``clear(presentation:receive:)``.
    public private(set) var request: ImageRequest?
    /// The progress of the newest load.
    public private(set) var progress = LoadProgress()

    private weak var display: (any ImageDisplay)?
    private var state = BindingState()
    private var loads: [Int: BoundLoad] = [:]
    private var shownImage: Image?

    /// A function that receives every event of a load, its end included.
    public typealias Receiver = @MainActor @Sendable (ImageEvent) -> Void

    /// Creates a binding for a display, which it does not retain.
    public init(_ display: any ImageDisplay, pipeline: ImagePipeline) {
        self.display = display
        self.pipeline = pipeline
    }

    deinit {
        for load in loads.values { load.task.cancel() }
    }

    /// The newest load that is still running; `nil` if there is none.
    public var task: ImageTask? { loads.max { $0.key < $1.key }?.value.task }

    /// Loads and shows the image of a request. If the display already shows that image, it stays.
    ///
    /// - Parameters:
    ///   - request: The request, before any interceptor.
    ///   - presentation: What the display shows during the load and at its end.
    ///   - receive: Receives progress, previews, and the end exactly once, on the main actor.
    public func load(
        _ request: ImageRequest, presentation: Presentation = Presentation(), receive: Receiver? = nil
    ) {
        // The request is compared, shown and started as the interceptors rewrite it.
        let request = pipeline.services.intercepted(fitted(request, presentation.sizing))
        self.request = request
        progress = LoadProgress()
        start(request, presentation, receive)
    }

    /// Cancels all loads and removes the image, for a view that has nothing to show.
    ///
    /// - Parameters:
    ///   - presentation: Its placeholder, if there is one, is shown instead.
    ///   - receive: Receives ``TintypeError/Code/invalidSource``, for callers that treat a missing source as a failure.
    public func clear(presentation: Presentation = Presentation(), receive: Receiver? = nil) {
        request = nil
        progress = LoadProgress()
        let ends = perform(state.clear(presentation), ShownImages(presentation))
        call(ends + [{ receive?(.finished(.failure(.noSource))) }])
    }

    /// Cancels all loads. The display keeps its image.
    public func cancel() {
        call(perform(state.cancel(), ShownImages()))
    }

    /// Returns the request with the size and scale of the display, if the presentation asks for that.
    private func fitted(_ request: ImageRequest, _ sizing: Presentation.Sizing) -> ImageRequest {
        guard sizing == .fitsDisplay, request.rendition.decode.size == .full, let display else { return request }
        return request.with {
            if let size = display.wantedSize { $0.rendition.decode.size = .fit(size) }
            $0.rendition.decode.scale = $0.rendition.decode.scale ?? display.scale
        }
    }
}

// MARK: - Loads

extension ImageBinding {
    /// A running load.
    private struct BoundLoad {
        let task: ImageTask
        let presentation: Presentation
        let receive: Receiver?
    }

    private func start(_ request: ImageRequest, _ presentation: Presentation, _ receive: Receiver?) {
        let mayReuse = request.policy.freshness.takesWhatIsCached
        let actions = state.load(request.key, presentation, mayReuse: mayReuse)
        guard case .start(let number) = actions.first else {
            return call(perform(actions, ShownImages()) + endOfReuse(receive))
        }
        loads[number] = BoundLoad(task: pipeline.begin(request), presentation: presentation, receive: receive)
        let ends = perform(actions, ShownImages())
        showFirst(number)
        call(ends)
    }

    /// Returns the end to report if the requested image is already shown.
    private func endOfReuse(_ receive: Receiver?) -> [End] {
        guard let image = shownImage else { return [] }
        return [{ receive?(.finished(.success(ImageResponse(image: image, origin: .memory)))) }]
    }

    /// Shows the result of a load that has already ended, or the placeholder or preview while it runs.
    private func showFirst(_ number: Int) {
        guard let load = loads[number] else { return }
        if case .finished(let response) = load.task.status { return finish(number, .success(response)) }
        let old = imageToRevalidate(load.task.request)
        if let old { preview(number, old) }
        _ = perform(state.wait(for: number), ShownImages(load.presentation))
        follow(load.task, number, load.receive)
        // Last, because the receiver may request another image when it is called.
        if let old { load.receive?(.preview(old)) }
    }

    /// Returns the image in memory that the load revalidates, which is shown meanwhile.
    private func imageToRevalidate(_ request: ImageRequest) -> ImageResponse? {
        guard request.policy.freshness == .revalidate, let old = pipeline.services.cachedImage(for: request)
        else { return nil }
        return ImageResponse(image: old, origin: .memory)
    }

    private func follow(_ task: ImageTask, _ number: Int, _ receive: Receiver?) {
        let events = task.events
        Task { @MainActor [weak self] in
            for await event in events {
                if let self {
                    self.handle(event, number)
                } else if case .finished = event {
                    receive?(event)
                }
            }
        }
    }

    private func handle(_ event: ImageEvent, _ number: Int) {
        guard let load = loads[number] else { return }
        // The display has been deallocated before its binding.
        guard display != nil else { return cancel() }
        switch event {
        case .progress(let newest):
            if number == state.lastLoad {
                progress = newest
                indicator?.update(newest)
            }
            load.receive?(event)
        case .preview(let response):
            preview(number, response)
            load.receive?(event)
        case .finished(let result): finish(number, result)
        }
    }

    private func preview(_ number: Int, _ response: ImageResponse) {
        _ = perform(state.showPreview(of: number), ShownImages(image: response.image))
    }

    private func finish(_ number: Int, _ result: Result<ImageResponse, TintypeError>) {
        guard let load = loads.removeValue(forKey: number) else { return }
        let response = try? result.get()
        let actions = state.finish(number, succeeded: response != nil, fromMemory: response?.origin == .memory)
        let end: @MainActor @Sendable () -> Void = { load.receive?(.finished(result)) }
        let waits = load.presentation.completion == .afterTransition && actions.contains(where: \.isTransition)
        var images = ShownImages(load.presentation, image: response?.image)
        if waits { images.whenDone = end }
        _ = perform(actions, images)
        if !waits { end() }
    }
}

// MARK: - Actions of the state

extension ImageBinding {
    /// The images that actions may show.
    private struct ShownImages {
        var presentation: Presentation
        var image: Image?
        var whenDone: @MainActor @Sendable () -> Void = {}

        init(_ presentation: Presentation = Presentation(), image: Image? = nil) {
            self.presentation = presentation
            self.image = image
        }

        func image(for content: BindingState.Content) -> Image? {
            switch content {
            case .nothing: nil
            case .placeholder: if case .placeholder(let image) = presentation.whileLoading { image } else { nil }
            case .preview, .image: image
            case .failure: presentation.failureImage
            }
        }
    }

    /// Performs actions.
    ///
    /// - Returns: The ends of the cancelled loads, to be called after everything else, because a receiver may request
    ///   another image when it is called.
    private func perform(_ actions: [BindingState.Action], _ images: ShownImages) -> [End] {
        actions.compactMap { action in
            switch action {
            case .start, .reuse: return nil
            case .cancel(let number): return cancelLoad(number)
            case .startIndicator: indicator?.start()
            case .stopIndicator: indicator?.stop()
            case .show(let content, let transition): show(images.image(for: content), transition, images.whenDone)
            }
            return nil
        }
    }

    private typealias End = @MainActor () -> Void

    private func call(_ ends: [End]) {
        for end in ends { end() }
    }

    private func cancelLoad(_ number: Int) -> End? {
        guard let load = loads.removeValue(forKey: number) else { return nil }
        load.task.cancel()
        return { load.receive?(.finished(.failure(.cancelled))) }
    }

    /// Shows an image or nothing, and calls `whenDone` at the end of the transition, if there is one.
    private func show(
        _ image: Image?, _ transition: ImageTransition?, _ whenDone: @escaping @MainActor @Sendable () -> Void
    ) {
        shownImage = image
        // The end is reported even if the display has been deallocated.
        guard let display else { return whenDone() }
        guard let image else { return display.showNothing() }
        if let transition {
            display.show(image, with: transition, whenDone: whenDone)
        } else {
            display.show(image)
        }
    }
}

extension BindingState.Action {
    fileprivate var isTransition: Bool {
        if case .show(_, .some) = self { true } else { false }
    }
}

extension TintypeError {
    /// The display was cleared: there is no source to load.
    fileprivate static let noSource = TintypeError(.invalidSource, stage: .request, "no image was requested")
}
