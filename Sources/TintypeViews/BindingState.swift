import TintypeCore

/// The state of an ``ImageBinding``: its unfinished loads, and the content of the display.
///
/// It has no reference to a display, pipeline or clock. Each event returns actions, which the binding must perform in
/// order. Loads are numbered from 1 in the order of their requests.
struct BindingState: Sendable {
    /// A step that the binding must perform.
    enum Action: Hashable, Sendable {
        /// Start this load. It comes before the cancellation of the previous load, so that work shared by both loads
        /// continues.
        case start(Int)
        /// Cancel this load.
        case cancel(Int)
        /// Show something, with a transition if there is one.
        case show(ImageContent.Kind, ImageTransition? = nil)
        /// Keep the current image and change its role.
        case mark(ImageContent.Kind)
        case startIndicator
        case stopIndicator
        /// Keep what is shown: it is the requested image.
        case reuse
    }

    /// How a load has ended.
    enum Outcome: Hashable, Sendable {
        /// With an image that was in memory.
        case inMemory
        /// With an image that had to be loaded.
        case loaded
        case failed
        /// The program has cancelled the task of the load.
        case cancelled
    }

    private struct Load: Sendable {
        var key: CacheKey
        let presentation: Presentation
        var isRunning = false
    }

    /// The number of the newest load.
    private(set) var lastLoad = 0
    /// The loads that are running.
    private var loads: [Int: Load] = [:]
    /// The content that the display shows.
    private(set) var content = ImageContent.Kind.nothing
    /// The load whose result is shown. Results of earlier loads are not shown any longer.
    private var shownLoad = 0
    /// The key of the image that is shown, whole or as a preview; `nil` if anything else is shown.
    private(set) var shownKey: CacheKey?
    /// Whether another request for the same key would return exactly the image that was shown last.
    private var isExact = false
    /// Whether the display shows exactly the image that another request for the same key would return.
    var showsExactImage: Bool { content == .image && isExact }
    /// Whether the indicator is running.
    private(set) var isIndicating = false
}

// MARK: - Requests

extension BindingState {
    /// Handles a request for an image.
    ///
    /// - Parameter mayReuse: Whether the shown image may stay without revalidation if it has the same key.
    mutating func load(_ key: CacheKey, _ presentation: Presentation, mayReuse: Bool) -> [Action] {
        let former = presentation.replacement == .cancelsFormer ? dropLoads() : []
        lastLoad += 1
        if mayReuse, showsExactImage, shownKey == key {
            // This is the newest request, so no former load that continues may replace its image.
            shownLoad = lastLoad
            return former + stopIndicatorIfIdle() + [.reuse]
        }
        loads[lastLoad] = Load(key: key, presentation: presentation)
        return [.start(lastLoad)] + former
    }

    /// Handles a request for no image.
    mutating func clear(_ presentation: Presentation) -> [Action] {
        let former = dropLoads()
        // Results of earlier loads must not be shown.
        lastLoad += 1
        return former + stopIndicatorIfIdle() + showWaiting(presentation, lastLoad, key: nil)
    }

    /// Cancels all loads. The display stays as it is.
    mutating func cancel() -> [Action] {
        dropLoads() + stopIndicatorIfIdle()
    }

    private mutating func dropLoads() -> [Action] {
        defer { loads = [:] }
        return loads.keys.sorted().map { .cancel($0) }
    }
}

// MARK: - Events of a load

extension BindingState {
    /// Handles a load whose image is not in memory.
    ///
    /// - Parameter isRunning: Whether the load has started.
    mutating func wait(for number: Int, isRunning: Bool = true) -> [Action] {
        guard let load = loads[number] else { return [] }
        return showWaiting(load.presentation, number, key: load.key) + setRunning(number, isRunning)
    }

    /// Handles the start or the pause of a load.
    mutating func setRunning(_ number: Int, _ isRunning: Bool) -> [Action] {
        loads[number]?.isRunning = isRunning
        guard isBusy else { return stopIndicatorIfIdle() }
        defer { isIndicating = true }
        return isIndicating ? [] : [.startIndicator]
    }

    /// Changes the key of a load that is about to run: for the first time, or after a pause, when its preview may be
    /// shown.
    mutating func setKey(_ key: CacheKey, of number: Int) {
        if shownLoad == number, let former = loads[number]?.key, shownKey == former { shownKey = key }
        loads[number]?.key = key
    }

    /// Handles a preview of a load.
    mutating func showPreview(of number: Int) -> [Action] {
        guard let load = loads[number], number >= shownLoad, load.presentation.delivery == .automatic else { return [] }
        return show(.preview, of: number, key: load.key)
    }

    /// Handles the end of a load.
    ///
    /// - Parameter isExact: Whether another request for the same key would return exactly this image.
    mutating func finish(_ number: Int, _ outcome: Outcome, isExact: Bool = true) -> [Action] {
        guard let load = loads.removeValue(forKey: number) else { return [] }
        let shown: [Action] =
            switch outcome {
            case .inMemory, .loaded: showImage(number, load, outcome, isExact)
            case .failed: showFailure(number, load)
            case .cancelled: []
            }
        return stopIndicatorIfIdle() + shown
    }

    private mutating func showImage(
        _ number: Int, _ load: Load, _ outcome: Outcome, _ isExact: Bool
    ) -> [Action] {
        guard number >= shownLoad, load.presentation.delivery == .automatic else { return [] }
        self.isExact = isExact
        let transition = load.presentation.transition.flatMap { outcome == .loaded || $0.when == .always ? $0 : nil }
        return show(.image, of: number, key: load.key, transition)
    }

    /// Shows the failure image, or keeps the shown content and changes its role to a failure. The requested image, or a
    /// preview of it, is kept. The failure of an earlier load is not shown, because the newest load may still succeed.
    private mutating func showFailure(_ number: Int, _ load: Load) -> [Action] {
        guard number >= shownLoad, number == lastLoad else { return [] }
        if shownKey == load.key { return content == .preview ? mark(.failure) : [] }
        if load.presentation.failureImage != nil { return show(.failure, of: number, key: nil) }
        // The receiver, or the former request, is responsible for what is shown.
        guard load.presentation.delivery == .automatic, content != .image else { return [] }
        shownLoad = number
        shownKey = nil
        return mark(.failure)
    }

    private mutating func showWaiting(_ presentation: Presentation, _ number: Int, key: CacheKey?) -> [Action] {
        // The requested image, or a preview of it, is already shown.
        if let key, shownKey == key { return content == .failure ? mark(.preview) : [] }
        switch presentation.whileLoading {
        case .current:
            guard content == .failure else { return [] }
            shownKey = nil
            return mark(.placeholder)
        case .placeholder: return show(.placeholder, of: number, key: nil)
        case .nothing: return content == .nothing ? [] : show(.nothing, of: number, key: nil)
        }
    }

    private mutating func show(
        _ new: ImageContent.Kind, of load: Int, key: CacheKey?, _ transition: ImageTransition? = nil
    ) -> [Action] {
        // A placeholder is not a result: the result of an earlier load may still replace it.
        if new == .preview || new == .image || new == .failure || loads.isEmpty { shownLoad = load }
        content = new
        shownKey = key
        return [.show(new, transition)]
    }

    private mutating func mark(_ new: ImageContent.Kind) -> [Action] {
        content = new
        return [.mark(new)]
    }

    private var isBusy: Bool { loads.values.contains(where: \.isRunning) }

    private mutating func stopIndicatorIfIdle() -> [Action] {
        guard isIndicating, !isBusy else { return [] }
        isIndicating = false
        return [.stopIndicator]
    }
}
