/// What an ``ImageBinding`` decides: which of its loads count, and what its display shows of them.
///
/// It knows no display, pipeline or time: events go in, actions come out, to be done in their order.
struct BindingState: Sendable {
    enum Content: Hashable, Sendable {
        case nothing, placeholder, preview, image, failure
    }

    enum Action: Hashable, Sendable {
        /// Begin the load of this number; before any is cancelled, so that work that both share goes on.
        case start(Int)
        case cancel(Int)
        case show(Content, ImageTransition? = nil)
        case startIndicator
        case stopIndicator
        /// The picture on screen is the wanted one already.
        case reuse
    }

    private struct Load: Sendable {
        let key: CacheKey
        let presentation: Presentation
    }

    private(set) var lastLoad = 0
    private var loads: [Int: Load] = [:]
    /// What is on screen: of which load, and of which picture when it is one.
    private(set) var content = Content.nothing
    private var shownLoad = 0
    private(set) var shownKey: CacheKey?
    /// Whether the indicator runs.
    private(set) var isIndicating = false

    /// Whether the load of this number still counts.
    func isLive(_ load: Int) -> Bool { loads[load] != nil }
}

// MARK: - What is wanted

extension BindingState {
    /// A picture is wanted.
    ///
    /// - Parameter mayReuse: whether one that is on screen will do, without a word with its origin.
    mutating func want(_ key: CacheKey, _ presentation: Presentation, mayReuse: Bool) -> [Action] {
        let former = presentation.replacement == .cancelsFormer ? dropLoads() : []
        lastLoad += 1
        if mayReuse, content == .image, shownKey == key {
            // Asked for last, and so not to be covered by a former load that goes on.
            shownLoad = lastLoad
            return former + stopIndicatorIfIdle() + [.reuse]
        }
        loads[lastLoad] = Load(key: key, presentation: presentation)
        return [.start(lastLoad)] + former
    }

    /// No picture is wanted.
    mutating func wantNothing(_ presentation: Presentation) -> [Action] {
        let former = dropLoads()
        // What comes of loads before this one is not to be shown.
        lastLoad += 1
        return former + stopIndicatorIfIdle() + showWaiting(presentation, lastLoad, key: nil)
    }

    /// The loads are given up; the screen stays as it is.
    mutating func cancel() -> [Action] {
        dropLoads() + stopIndicatorIfIdle()
    }

    private mutating func dropLoads() -> [Action] {
        defer { loads = [:] }
        return loads.keys.sorted().map { .cancel($0) }
    }
}

// MARK: - What becomes of a load

extension BindingState {
    /// A load has begun, and memory does not have its picture.
    mutating func wait(_ number: Int) -> [Action] {
        guard let load = loads[number] else { return [] }
        let indicator: [Action] = isIndicating ? [] : [.startIndicator]
        isIndicating = true
        return showWaiting(load.presentation, number, key: load.key) + indicator
    }

    mutating func preview(_ number: Int) -> [Action] {
        guard let load = loads[number], number >= shownLoad, load.presentation.delivery == .automatic else { return [] }
        return show(.preview, of: number, key: load.key)
    }

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

    /// A picture that was shown meanwhile, whole or in part, is better than one that says that there is none.
    private mutating func showFailure(_ number: Int, _ load: Load) -> [Action] {
        guard number >= shownLoad, load.presentation.failureImage != nil, shownKey != load.key else { return [] }
        return show(.failure, of: number, key: nil)
    }

    private mutating func showWaiting(_ presentation: Presentation, _ number: Int, key: CacheKey?) -> [Action] {
        // Some of the wanted picture is on screen already.
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
        // A placeholder is not a result: what an earlier load still brings is better than it.
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
