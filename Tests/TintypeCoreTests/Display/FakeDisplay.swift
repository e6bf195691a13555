import TintypeCore

/// A display that records the shown images.
@MainActor final class FakeDisplay: ImageDisplay {
    enum Shown: Equatable {
        case nothing
        case image(ObjectIdentifier)
        case fading(ObjectIdentifier)
    }

    private(set) var shown: [Shown] = []
    private var whenDone: (@MainActor @Sendable () -> Void)?
    var scale = 1.0
    var wantedSize: PixelSize?
    /// The binding, for tests of a view that owns it.
    var binding: ImageBinding?

    func show(_ image: Image) { shown.append(.image(ObjectIdentifier(image))) }
    func showNothing() { shown.append(.nothing) }

    func show(_ image: Image, with transition: ImageTransition, whenDone: @escaping @MainActor @Sendable () -> Void) {
        shown.append(.fading(ObjectIdentifier(image)))
        self.whenDone = whenDone
    }

    func endTransition() { whenDone?() }
}

extension FakeDisplay.Shown {
    static func image(_ image: Image) -> FakeDisplay.Shown { .image(ObjectIdentifier(image)) }
}

/// An indicator that records its calls.
@MainActor final class FakeIndicator: LoadIndicator {
    private(set) var calls: [String] = []
    private(set) var progress: [LoadProgress] = []

    func start() { calls.append("start") }
    func update(_ progress: LoadProgress) { self.progress.append(progress) }
    func stop() { calls.append("stop") }
}
