import TintypeCore

/// One transition on one display, from its first frame to its end.
///
/// The display keeps the object while it draws the transition. The transition ends exactly once: when its duration is
/// over, by ``finish()`` or `interrupt()`, when the binding shows something else, or when the display releases the
/// object.
@MainActor public final class RunningTransition {
    /// The transition and the contents that it leads from and to.
    package let context: TransitionContext
    /// Whether the transition has ended.
    public private(set) var isOver = false
    /// Called once at the end, for example to remove a tick callback.
    public var onEnd: (@MainActor () -> Void)?

    private var start: Duration?
    /// The progress at which a fade also begins to fade out the old image; `nil` while the new image is assumed to hide
    /// it.
    private var oldFadesFrom: Double?
    /// The progress of the newest frame.
    private var lastProgress = 0.0
    /// Called once at the end, after ``onEnd``.
    private var report: (@MainActor () -> Void)?

    init(_ context: TransitionContext, report: (@MainActor () -> Void)? = nil) {
        self.context = context
        self.report = report
    }

    isolated deinit {
        end(isFinished: false)
    }

    /// The transition.
    public var transition: ImageTransition { context.transition }
    /// The content that the display showed before.
    public var old: ImageContent { context.old }
    /// The content that the display will show.
    public var new: ImageContent { context.new }

    /// Returns how both images are drawn at `now`.
    ///
    /// The first call starts the transition, and the first call after its duration ends it. Call this from a callback
    /// of the frame clock, not while drawing.
    ///
    /// - Parameter now: The time of any monotonic clock, the same one for all calls.
    public func frame(at now: Duration) -> TransitionFrame {
        let progress = progress(at: now)
        guard !isOver else { return .end }
        if case .custom(let custom) = transition.kind { return custom.animate(context, progress) }
        lastProgress = progress
        return transition.kind.frame(at: progress, oldFadesFrom: oldFadesFrom)
    }

    /// Returns the eased progress at a time, from 0 to 1, for a display that draws some kinds of transitions itself. It
    /// starts and ends the transition as ``frame(at:)`` does.
    public func progress(at now: Duration) -> Double {
        guard !isOver else { return 1 }
        let elapsed = now - begin(at: now)
        guard elapsed < transition.duration else {
            end(isFinished: true)
            return 1
        }
        return transition.easing.progress(elapsed / transition.duration)
    }

    /// Ends the transition as shown, for a display that shows the new content at once.
    public func finish() { end(isFinished: true) }

    /// Ends the transition before it was shown to its end.
    package func interrupt() { end(isFinished: false) }

    /// Ends the transition because the binding shows something else.
    ///
    /// - Returns: The last step of a custom transition. Call it after the other content is shown, because it may
    ///   request another image.
    func replace() -> (@MainActor () -> Void)? {
        guard !isOver else { return nil }
        isOver = true
        notify()
        return completion(isFinished: false)
    }

    /// Also fades out the old image, unless the new one hides it.
    ///
    /// The header does not show whether a transformer has made pixels transparent, so a pixel thread checks the pixels.
    /// If there is a transparent one, the old image fades out from the progress at that time.
    private func prepareFade() {
        guard old.image != nil else { return }
        guard context.mayHideOld, let pixels = new.image?.pixels else { return oldFadesFrom = 0 }
        WorkQueue.pixels.enqueue(at: .high) { [weak self] in
            guard self != nil, !pixels.isOpaque else { return }
            Task { @MainActor [weak self] in
                guard let self else { return }
                oldFadesFrom = lastProgress
            }
        }
    }

    private func begin(at now: Duration) -> Duration {
        if let start { return start }
        start = now
        switch transition.kind {
        case .custom(let custom): custom.prepare(context)
        case .fade: prepareFade()
        default: break
        }
        return now
    }

    private func end(isFinished: Bool) {
        guard !isOver else { return }
        isOver = true
        completion(isFinished: isFinished)?()
        notify()
    }

    private func completion(isFinished: Bool) -> (@MainActor () -> Void)? {
        // A transition that was never drawn was not prepared either.
        guard start != nil, case .custom(let custom) = transition.kind else { return nil }
        return { [context] in custom.complete(context, isFinished) }
    }

    private func notify() {
        let calls = [onEnd, report]
        (onEnd, report) = (nil, nil)
        for call in calls { call?() }
    }
}
