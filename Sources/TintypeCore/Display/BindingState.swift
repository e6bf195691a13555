/// The state of an ``ImageBinding``: the loads that still matter, and what the display shows of them.
///
/// It knows no display, pipeline or time. Each event returns actions, which must be performed in their order. Loads are
/// numbered from 1 in the order of their requests.
struct BindingState: Sendable {
    /// The content of the display.
    enum Content: Hashable, Sendable {
        case nothing, placeholder, preview, image, failure
    }

    /// A step that the binding must perform.
    enum Action: Hashable, Sendable {
        /// Start this load. It comes before the cancellation of the previous load, so that work shared by both loads
        /// continues.
        case start(Int)
        /// Cancel this load.
        case cancel(Int)
        /// Show something, with a transition if there is one.
        case show(Content, ImageTransition? = nil)
        case startIndicator
        case stopIndicator
        /// Keep what is shown: it is the requested image.
        case reuse
    }

    private struct Load: Sendable {
        let key: CacheKey
        let presentation: Presentation
    }

    /// The number of the newest load.
    private(set) var lastLoad = 0
    /// The loads that are running.
    private var loads: [Int: Load] = [:]
    /// The content that the display shows.
    private(set) var content = Content.nothing
    /// The load whose result is shown. Results of earlier loads are not shown any longer.
    private var shownLoad = 0
    /// The key of the image that is shown, whole or as a preview; `nil` if anything else is shown.
    private(set) var shownKey: CacheKey?
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
        if mayReuse, content == .image, shownKey == key {
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
    /// Handles the start of a load whose image is not in memory.
    mutating func wait(for number: Int) -> [Action] {
        guard let load = loads[number] else { return [] }
        let indicator: [Action] = isIndicating ? [] : [.startIndicator]
        isIndicating = true
        return showWaiting(load.presentation, number, key: load.key) + indicator
    }

    /// Handles a preview of a load.
    mutating func showPreview(of number: Int) -> [Action] {
        guard let load = loads[number], number >= shownLoad, load.presentation.delivery == .automatic else { return [] }
        return show(.preview, of: number, key: load.key)
    }

    /// Handles the end of a load.
    mutating func finish(_ number: Int, succeeded: Bool, fromMemory: Bool) -> [Action] {
        guard let load = loads.removeValue(forKey: number) else { return [] }
        let shown = succeeded ? showImage(number, load, fromMemory: fromMemory) : showFailure(number, load)
        return stopIndicatorIfIdle() + shown
    }

    private mutating func showImage(_ number: Int, _ load: Load, fromMemory: Bool) -> [Action] {
        guard number >= shownLoad, load.presentation.delivery == .automatic else { return [] }
        let transition = load.presentation.transition.flatMap { !fromMemory || $0.when == .always ? $0 : nil }
        return show(.image, of: number, key: load.key, transition)
    }

    /// Shows the failure image, unless a preview or the image itself is already shown.
    private mutating func showFailure(_ number: Int, _ load: Load) -> [Action] {
        guard number >= shownLoad, load.presentation.failureImage != nil, shownKey != load.key else { return [] }
        return show(.failure, of: number, key: nil)
    }

    private mutating func showWaiting(_ presentation: Presentation, _ number: Int, key: CacheKey?) -> [Action] {
        // The requested image, or a preview of it, is already shown.
        if let key, shownKey == key { return [] }
        switch presentation.whileLoading {
        case .current: return []
        case .placeholder: return show(.placeholder, of: number, key: nil)
        case .nothing: return content == .nothing ? [] : show(.nothing, of: number, key: nil)
        }
    }

    private mutating func show(
        _ new: Content, of load: Int, key: CacheKey?, _ transition: ImageTransition? = nil
    ) -> [Action] {
        // A placeholder is not a result: the result of an earlier load may still replace it.
        if new == .preview || new == .image || new == .failure || loads.isEmpty { shownLoad = load }
        content = new
        shownKey = key
        return [.show(new, transition)]
    }

    private mutating func stopIndicatorIfIdle() -> [Action] {
        guard isIndicating, loads.isEmpty else { return [] }
        isIndicating = false
        return [.stopIndicator]
    }
}
