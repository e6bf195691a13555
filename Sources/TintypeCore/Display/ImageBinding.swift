/// The load that belongs to one slot of a view: its picture, its background, whatever shows one picture at a time.
///
/// A view keeps a binding for each slot. What was asked for last is what is shown: a view that is recycled never shows
/// the picture of its former request. A picture in memory is shown before ``load(_:_:receive:)`` returns.
///
/// A binding that goes away gives its load up at once, and so does a view that owns its binding. A binding that outlives
/// its display, which it does not own, gives the load up at that load's next event.
@MainActor public final class ImageBinding {
    public let pipeline: ImagePipeline
    /// Started while something is loaded, and stopped after it. One that is set meanwhile is started at once.
    public var indicator: (any LoadIndicator)? {
        didSet {
            guard state.isIndicating, oldValue !== indicator else { return }
            oldValue?.stop()
            indicator?.start()
        }
    }
    /// What was asked for last, as the pipeline's interceptors left it.
    public private(set) var request: ImageRequest?
    /// How far the newest load is.
    public private(set) var progress = LoadProgress()

    private weak var display: (any ImageDisplay)?
    private var state = BindingState()
    private var loads: [Int: BoundLoad] = [:]
    private var shownImage: Image?

    /// Told of each event of a load, the end included.
    public typealias Receiver = @MainActor @Sendable (ImageEvent) -> Void

    public init(_ display: any ImageDisplay, pipeline: ImagePipeline) {
        self.display = display
        self.pipeline = pipeline
    }

    deinit {
        for load in loads.values { load.task.cancel() }
    }

    /// The load under way that was begun last.
    public var task: ImageTask? { loads.max { $0.key < $1.key }?.value.task }

    /// Shows the picture of a request; the same one that is shown already is left alone.
    ///
    /// - Parameters:
    ///   - request: `nil` for no picture: the receiver is told ``TintypeError/Code/invalidSource``.
    ///   - receive: told progress and previews, and the end exactly once.
    public func load(
        _ request: ImageRequest?, _ presentation: Presentation = Presentation(), receive: Receiver? = nil
    ) {
        // What interceptors make of it is what is compared, shown and started.
        let request = request.map { pipeline.services.intercepted(fitted($0, presentation.sizing)) }
        self.request = request
        progress = LoadProgress()
        if let request {
            want(request, presentation, receive)
        } else {
            let ends = perform(state.wantNothing(presentation), Picture(presentation))
            tell(ends + [{ receive?(.finished(.failure(.noSource))) }])
        }
    }

    /// Gives the load up; what is shown stays.
    public func cancel() {
        tell(perform(state.cancel(), Picture()))
    }

    /// The request as the display wants it, if it leaves that to the display.
    private func fitted(_ request: ImageRequest, _ sizing: Presentation.Sizing) -> ImageRequest {
        guard sizing == .fitsDisplay, request.rendition.decode.size == .full, let display else { return request }
        return request.with {
            if let size = display.wantedSize { $0.rendition.decode.size = .fit(size) }
            $0.rendition.decode.scale = $0.rendition.decode.scale ?? display.scale
        }
    }
}

// MARK: - The loads

extension ImageBinding {
    /// One load under way.
    private struct BoundLoad {
        let task: ImageTask
        let presentation: Presentation
        let receive: Receiver?
    }

    private func want(_ request: ImageRequest, _ presentation: Presentation, _ receive: Receiver?) {
        let mayReuse = request.policy.freshness.takesWhatIsCached
        let actions = state.want(request.key, presentation, mayReuse: mayReuse)
        guard case .start(let number) = actions.first else {
            return tell(perform(actions, Picture()) + reused(receive))
        }
        loads[number] = BoundLoad(task: pipeline.begin(request), presentation: presentation, receive: receive)
        let ends = perform(actions, Picture())
        settle(number)
        tell(ends)
    }

    /// What to tell of a picture that is shown already.
    private func reused(_ receive: Receiver?) -> [End] {
        guard let image = shownImage else { return [] }
        return [{ receive?(.finished(.success(ImageResponse(image: image, origin: .memory)))) }]
    }

    /// Shows what is there at once, or waits for it.
    private func settle(_ number: Int) {
        guard let load = loads[number] else { return }
        if case .finished(let response) = load.task.status { return finish(number, .success(response)) }
        let old = beforeRefresh(load.task.request)
        if let old { preview(number, old) }
        _ = perform(state.wait(number), Picture(load.presentation))
        follow(load.task, number, load.receive)
        // Told last: the receiver may ask for another picture at once.
        if let old { load.receive?(.preview(old)) }
    }

    /// What memory has of a picture whose origin is to be asked again.
    private func beforeRefresh(_ request: ImageRequest) -> ImageResponse? {
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
        // The view went away, and left its binding behind.
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
        _ = perform(state.preview(number), Picture(image: response.image))
    }

    private func finish(_ number: Int, _ result: Result<ImageResponse, TintypeError>) {
        guard let load = loads.removeValue(forKey: number) else { return }
        let response = try? result.get()
        let actions = state.finish(number, succeeded: response != nil, fromMemory: response?.origin == .memory)
        let end: @MainActor @Sendable () -> Void = { load.receive?(.finished(result)) }
        let waits = load.presentation.completion == .afterTransition && actions.contains(where: \.isTransition)
        var picture = Picture(load.presentation, image: response?.image)
        if waits { picture.whenDone = end }
        _ = perform(actions, picture)
        if !waits { end() }
    }
}

// MARK: - Doing what the state decides

extension ImageBinding {
    /// What the actions may have to show.
    private struct Picture {
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

    /// - Returns: what has to be told to those whose loads were given up, once everything is done: they may ask for
    ///   another picture at once.
    private func perform(_ actions: [BindingState.Action], _ picture: Picture) -> [End] {
        actions.compactMap { action in
            switch action {
            case .start, .reuse: return nil
            case .cancel(let number): return giveUp(number)
            case .startIndicator: indicator?.start()
            case .stopIndicator: indicator?.stop()
            case .show(let content, let transition): show(picture.image(for: content), transition, picture.whenDone)
            }
            return nil
        }
    }

    private typealias End = @MainActor () -> Void

    private func tell(_ ends: [End]) {
        for end in ends { end() }
    }

    private func giveUp(_ number: Int) -> End? {
        guard let load = loads.removeValue(forKey: number) else { return nil }
        load.task.cancel()
        return { load.receive?(.finished(.failure(.cancelled))) }
    }

    /// Shows a picture, or none; with a transition it says when that is over.
    private func show(
        _ image: Image?, _ transition: ImageTransition?, _ whenDone: @escaping @MainActor @Sendable () -> Void
    ) {
        shownImage = image
        // The end is told even when there is no one left to make the transition.
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
    /// No picture was asked for.
    fileprivate static let noSource = TintypeError(.invalidSource, stage: .request, "there is no source to load")
}
