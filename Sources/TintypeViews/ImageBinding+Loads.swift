import TintypeCore

/// A load that has not ended.
struct BoundLoad: Sendable {
    /// The request as the program gave it.
    let original: ImageRequest
    /// The decode options for the display, before the interceptors.
    var decode: DecodeOptions
    /// The request as it is loaded.
    var request: ImageRequest
    let presentation: Presentation
    var schedule: LoadSchedule
    let receiver: LoadReceiver?
    /// Whether the load replaces the shown image with a larger version.
    var isRefit = false
    /// The running task; `nil` while the load is deferred or paused.
    var task: ImageTask?
}

// MARK: - Starting

extension ImageBinding {
    /// Handles a request for an image.
    func start(
        _ original: ImageRequest, _ presentation: Presentation, _ receiver: LoadReceiver?, isRefit: Bool = false
    ) {
        // The request is compared, shown and started as the interceptors rewrite it.
        let decode = fittedDecode(original, presentation.sizing)
        var request = fitted(original, decode)
        let mayReuse = mayReuseImage(for: request)
        let shown = isRefit || !mayReuse ? nil : shownInAnotherSize(original, request, presentation)
        newest = (original, presentation)
        (progress, failure) = (LoadProgress(), nil)
        if let shown {
            // The larger image that is already being loaded still is the right one.
            if loads.count == 1, loads[state.lastLoad]?.isRefit == true { return reuse([], receiver) }
            request = shown
        }
        self.request = request
        let actions = state.load(request.key, presentation, mayReuse: mayReuse)
        guard case .start(let number) = actions.first else {
            reuse(actions, receiver)
            if shown != nil { refit() }
            return
        }
        let schedule = LoadSchedule(request.priority, presentation, isVisible: isDisplayVisible)
        loads[number] = BoundLoad(
            original: original, decode: decode, request: request, presentation: presentation, schedule: schedule,
            receiver: receiver, isRefit: isRefit)
        let response = open(number)
        let ends = perform(actions, ShownImages())
        if let response { finish(number, .success(response)) } else { wait(for: number) }
        end(ends)
    }

    /// Returns the decode options of a request for the display: with its dynamic range, and with its size and scale if
    /// the presentation asks for that.
    func fittedDecode(_ request: ImageRequest, _ sizing: Presentation.Sizing) -> DecodeOptions {
        var decode = request.rendition.decode
        guard let display else { return decode }
        if display.dynamicRange == .high { decode.range = .high }
        guard sizing == .fitsDisplay, decode.size == .full else { return decode }
        if let size = display.wantedSize { decode.size = display.fit.decodeSize(size) }
        decode.scale = decode.scale ?? display.scale
        return decode
    }

    /// Returns the request as it is loaded: with other decode options, and after the interceptors.
    func fitted(_ request: ImageRequest, _ decode: DecodeOptions) -> ImageRequest {
        pipeline.intercepted(
            decode == request.rendition.decode ? request : request.with { $0.rendition.decode = decode })
    }

    /// Returns the request of the image that is shown, if the same image is requested for a display whose size has
    /// changed since. The image stays then, and ``refit()`` decides whether a larger one is loaded.
    private func shownInAnotherSize(
        _ original: ImageRequest, _ request: ImageRequest, _ presentation: Presentation
    ) -> ImageRequest? {
        guard presentation.sizing == .fitsDisplay, original.rendition.decode.size == .full, state.showsExactImage,
            let shown, shown.original.key == original.key, shown.request.key == state.shownKey,
            shown.request.rendition.decode.scale == request.rendition.decode.scale
        else { return nil }
        return shown.request
    }

    /// Whether the image that is shown satisfies a request with its key: the request needs neither the origin nor
    /// bytes, and changes nothing that is not in the key.
    private func mayReuseImage(for request: ImageRequest) -> Bool {
        let scale = request.rendition.decode.scale ?? request.source.scaleInName
        return request.policy.endsInMemory && request.resultModifier == nil && content.image?.scale == scale
    }

    /// Keeps the image that is shown, because it is the requested one.
    private func reuse(_ actions: [BindingState.Action], _ receiver: LoadReceiver?) {
        progress.isComplete = true
        if let image = content.image {
            receiver?.settle(.success(ImageResponse(image: image, origin: .memory)))
        }
        end(perform(actions, ShownImages()) + [receiver])
    }

    /// Starts the task of a new load, if it is due.
    ///
    /// - Returns: The response, if the image is in memory.
    private func open(_ number: Int) -> ImageResponse? {
        if let response = loads[number].flatMap({ responseInMemory($0.request) }) { return response }
        let actions = loads[number]?.schedule.open(at: now)
        guard case .start(let priority) = actions?.first else { return nil }
        return launch(number, at: priority)
    }

    private func responseInMemory(_ request: ImageRequest) -> ImageResponse? {
        guard let image = pipeline.memoryHit(request) else { return nil }
        return ImageResponse(image: image, origin: .memory)
    }

    /// Starts the task of a load.
    ///
    /// - Returns: The response, if the task has already ended with one.
    private func launch(_ number: Int, at priority: ImagePriority) -> ImageResponse? {
        guard let load = loads[number] else { return nil }
        let asksHeader = load.presentation.expectedSize == nil && load.request.rendition.predictsSize
        let task = pipeline.startIntercepted(
            load.request.with {
                if asksHeader { $0.policy.delivery.header = .early }
                if $0.priority != priority { $0.priority = priority }
            })
        loads[number]?.task = task
        return if case .finished(let response) = task.status { response } else { nil }
    }

    /// Shows a preview, the placeholder or the current image until the requested image is available.
    private func wait(for number: Int) {
        guard let load = loads[number] else { return }
        expectAtStart(load.presentation)
        let old = imageToRevalidate(load.request)
        // The task may have begun with a preview in memory. The event of that preview is delivered asynchronously.
        var ends = (old ?? load.task?.preview).map { preview(number, $0) } ?? []
        ends += perform(state.wait(for: number, isRunning: load.task != nil), ShownImages(load.presentation))
        if let task = load.task { follow(task, number) }
        updateTimer()
        // Last, because the receiver may request another image when it is called.
        if let old { load.receiver?(.preview(old)) }
        end(ends)
    }

    /// Returns the image in memory that the load revalidates. It is shown as a preview, so it is not modified by the
    /// `ImageRequest.resultModifier`.
    private func imageToRevalidate(_ request: ImageRequest) -> ImageResponse? {
        guard request.policy.freshness == .revalidate,
            let old = pipeline.imageInMemory(of: request.with { $0.resultModifier = nil })
        else { return nil }
        return ImageResponse(image: old, origin: .memory)
    }
}

// MARK: - Starting later, and pausing

extension ImageBinding {
    /// Performs the actions of a load's schedule.
    func perform(_ actions: [LoadSchedule.Action], of number: Int) {
        for action in actions {
            switch action {
            case .start(let priority): run(number, at: priority)
            case .prioritize(let priority): loads[number]?.task?.priority = priority
            case .stop: pause(number)
            }
        }
    }

    /// Starts a deferred or paused load. Its image may be in memory by now.
    private func run(_ number: Int, at priority: ImagePriority) {
        refitBeforeRun(number)
        guard let load = loads[number] else { return }
        if let response = responseInMemory(load.request) ?? launch(number, at: priority) {
            return finish(number, .success(response))
        }
        let first = loads[number]?.task?.preview
        var ends = first.map { preview(number, $0) } ?? []
        ends += perform(state.setRunning(number, true), ShownImages())
        if let task = loads[number]?.task { follow(task, number) }
        end(ends)
    }

    /// Requests the size that the display has now: it may have been unknown when the load was requested, or have
    /// changed during a pause.
    private func refitBeforeRun(_ number: Int) {
        guard let load = loads[number], load.presentation.sizing == .fitsDisplay else { return }
        let decode = fittedDecode(load.original, .fitsDisplay)
        let request = fitted(load.original, decode)
        loads[number]?.decode = decode
        guard request.key != load.request.key else { return }
        loads[number]?.request = request
        state.setKey(request.key, of: number)
        if number == state.lastLoad { self.request = request }
    }

    private func pause(_ number: Int) {
        loads[number]?.task?.cancel()
        loads[number]?.task = nil
        if number == state.lastLoad { progress = LoadProgress() }
        _ = perform(state.setRunning(number, false), ShownImages())
    }
}

// MARK: - Events

extension ImageBinding {
    private func follow(_ task: ImageTask, _ number: Int) {
        let events = task.events
        Task { @MainActor [weak self] in
            for await event in events { self?.handle(event, number, of: task) }
        }
    }

    private func handle(_ event: ImageEvent, _ number: Int, of task: ImageTask) {
        // A load that was paused meanwhile has another task.
        guard let load = loads[number], load.task === task else { return }
        // The display has been deallocated before its binding.
        guard display != nil else { return cancel() }
        switch event {
        case .info(let info):
            if number == state.lastLoad, let size = ExpectedSize(info, as: load.request.rendition) { expect(size) }
        case .progress(let newest):
            if number == state.lastLoad {
                progress = newest
                for indicator in indicators { indicator.update(newest) }
            }
        case .preview(let response): end(preview(number, response))
        case .finished(let result):
            finish(number, result)
            // The display may have grown during the load.
            if case .success = result { refit() }
            return
        }
        load.receiver?(event)
    }

    private func preview(_ number: Int, _ response: ImageResponse) -> [LoadReceiver?] {
        let actions = state.showPreview(of: number)
        // The first event of a task is the preview that was shown when it began.
        if case .preview(let shown) = content, shown === response.image { return [] }
        return perform(actions, ShownImages(image: response.image))
    }

    func finish(_ number: Int, _ result: Result<ImageResponse, TintypeError>) {
        guard let load = loads.removeValue(forKey: number) else { return }
        if number == state.lastLoad { recordEnd(result, isRefit: load.isRefit) }
        let actions = state.finish(
            number, BindingState.Outcome(result), isExact: (try? result.get())?.isExact(for: load.request) ?? false)
        load.receiver?.settle(result)
        var images = ShownImages(load.presentation)
        switch result {
        case .success(let response): images.image = response.image
        case .failure(let error): images.error = error
        }
        let waits = load.presentation.completion == .afterTransition
        if waits { images.receiver = load.receiver }
        let ends = perform(actions, images)
        if state.shownKey == load.request.key, content.kind == .image {
            shown = (load.original, load.decode, load.request)
        }
        updateTimer()
        end(ends + (images.receiver != nil && actions.contains(where: \.isTransition) ? [] : [load.receiver]))
    }

    private func recordEnd(_ result: Result<ImageResponse, TintypeError>, isRefit: Bool) {
        switch result {
        case .success:
            progress.isComplete = true
            if state.isIndicating { for indicator in indicators { indicator.update(progress) } }
        case .failure where isRefit:
            // The smaller image is still shown, so this is not a failure.
            progress.isComplete = true
            request = shown?.request
        case .failure(let error):
            failure = error
        }
    }
}

extension BindingState.Outcome {
    fileprivate init(_ result: Result<ImageResponse, TintypeError>) {
        switch result {
        case .success(let response): self = response.origin == .memory ? .inMemory : .loaded
        case .failure(let error): self = error.code == .cancelled ? .cancelled : .failed
        }
    }
}

extension ImageResponse {
    /// Whether an equal request would return this image: it is complete, up to date, unmodified, and from the requested
    /// source.
    fileprivate func isExact(for request: ImageRequest) -> Bool {
        !image.isPartial && transferFailure == nil && revalidationFailure == nil && !isReplacement
            && request.resultModifier == nil
    }
}

extension BindingState.Action {
    fileprivate var isTransition: Bool {
        if case .show(_, .some) = self { true } else { false }
    }
}
