import TintypeCore

extension ImageBinding {
    /// The images that actions may show.
    struct ShownImages {
        var presentation: Presentation
        var image: Image?
        var error = TintypeError.cancelled
        /// The receiver that is notified of the end of its load when the transition ends.
        var receiver: LoadReceiver?

        init(_ presentation: Presentation = Presentation(), image: Image? = nil) {
            self.presentation = presentation
            self.image = image
        }

        func content(_ kind: ImageContent.Kind) -> ImageContent {
            switch kind {
            case .nothing: .nothing
            case .placeholder:
                if case .placeholder(let image) = presentation.whileLoading { .placeholder(image) } else { .nothing }
            case .preview: image.map(ImageContent.preview) ?? .nothing
            case .image: image.map(ImageContent.image) ?? .nothing
            case .failure: .failure(error, presentation.failureImage)
            }
        }
    }

    /// Performs actions.
    ///
    /// - Returns: The receivers of the loads that have ended. They must be called after everything else, because a
    ///   receiver may request another image when it is called.
    func perform(_ actions: [BindingState.Action], _ images: ShownImages) -> [LoadReceiver?] {
        var ends: [LoadReceiver?] = []
        for action in actions {
            switch action {
            case .start, .reuse: break
            case .cancel(let number): ends.append(cancelLoad(number))
            case .startIndicator: for indicator in indicators { indicator.start() }
            case .stopIndicator: for indicator in indicators { indicator.stop() }
            case .show(let kind, let transition):
                ends += show(images.content(kind), transition, images.receiver)
            case .mark(let kind):
                var current = images
                (current.image, current.presentation) = (content.image, Presentation())
                if let image = content.image { current.presentation.whileLoading = .placeholder(image) }
                current.presentation.failureImage = content.image
                ends += show(current.content(kind), nil, nil)
            }
        }
        return ends
    }

    func end(_ receivers: [LoadReceiver?]) {
        for receiver in receivers { receiver?.end() }
    }

    private func cancelLoad(_ number: Int) -> LoadReceiver? {
        guard let load = loads.removeValue(forKey: number) else { return nil }
        load.task?.cancel()
        return load.receiver
    }

    /// Shows content.
    ///
    /// - Parameter receiver: The receiver to notify when the transition ends; `nil` without a transition.
    /// - Returns: The receivers that wait for the end of the former transition.
    private func show(
        _ new: ImageContent, _ transition: ImageTransition?, _ receiver: LoadReceiver?
    ) -> [LoadReceiver?] {
        let former = replaceTransition()
        let old = content
        content = new
        guard let transition else {
            display?.show(new)
            return former
        }
        // The end is reported even if the display has been deallocated.
        guard let display else { return former + [receiver] }
        transitionEnd = receiver
        let running = RunningTransition(
            TransitionContext(transition, from: old, to: new, on: display),
            report: { [weak self, weak receiver] in
                // The last step of a program's transition may have begun the next one.
                guard let self, let receiver, transitionEnd === receiver else { return }
                takeTransitionEnd()?.end()
            })
        self.transition = running
        display.show(with: running)
        return former
    }

    /// Ends the running transition.
    ///
    /// - Returns: The last step of a program's transition, and the receiver that has waited for the end.
    private func replaceTransition() -> [LoadReceiver?] {
        guard transition != nil || transitionEnd != nil else { return [] }
        let receiver = takeTransitionEnd()
        let completion = transition?.replace()
        transition = nil
        return [completion.flatMap { complete in LoadReceiver { _ in complete() } }, receiver]
    }

    private func takeTransitionEnd() -> LoadReceiver? {
        defer { transitionEnd = nil }
        return transitionEnd
    }
}

// MARK: - Expected size

extension ImageBinding {
    /// Tells the display what is known about the size when a load begins.
    func expectAtStart(_ presentation: Presentation) {
        let size = ExpectedSize(presentation)
        // The former image keeps its shape until more is known.
        if size == nil, case .current = presentation.whileLoading { return }
        expect(size)
    }

    func expect(_ size: ExpectedSize?) {
        guard size != expectedSize else { return }
        expectedSize = size
        display?.expect(size)
    }
}

/// The receiver of one load of a binding. It is notified of the end exactly once, however the load ends.
@MainActor final class LoadReceiver {
    private var receive: ImageBinding.Receiver?
    private var result: Result<ImageResponse, TintypeError> = .failure(.cancelled)

    /// - Returns: `nil` if there is nothing to call.
    init?(_ receive: ImageBinding.Receiver?) {
        guard let receive else { return nil }
        self.receive = receive
    }

    /// Passes on an event that is not the end.
    func callAsFunction(_ event: ImageEvent) { receive?(event) }

    /// Sets the result to report at the end. Without it, ``end()`` reports a cancellation.
    func settle(_ result: Result<ImageResponse, TintypeError>) { self.result = result }

    /// Reports the end, unless that has been done.
    func end() {
        let receive = receive
        self.receive = nil
        receive?(.finished(result))
    }

    deinit {
        // The binding was released. Not called here, because a receiver may use what is being deallocated.
        guard let receive else { return }
        Task { @MainActor [result] in receive(.finished(result)) }
    }
}
