import TintypeCore
import TintypeViews

/// A display that records what it is told, and shows transitions only as far as a test lets it.
@MainActor final class FakeDisplay: ImageDisplay {
    enum Shown: Equatable {
        case nothing
        case placeholder(ObjectIdentifier)
        case preview(ObjectIdentifier)
        case image(ObjectIdentifier)
        case failure(TintypeError.Code, ObjectIdentifier?)
        /// The requested image, by a transition.
        case fading(ObjectIdentifier)
    }

    private(set) var shown: [Shown] = []
    /// The sizes that the display was told to expect.
    private(set) var expected: [ExpectedSize?] = []
    /// The newest transition. A test ends it, or releases it.
    var transition: RunningTransition?
    var scale = 1.0
    var wantedSize: PixelSize?
    var fit = ImageFit.contain
    var dynamicRange = DecodeOptions.DynamicRange.standard
    /// The binding, for tests of a view that owns it.
    var binding: ImageBinding?

    func show(_ content: ImageContent) { shown.append(Shown(content)) }
    func expect(_ size: ExpectedSize?) { expected.append(size) }

    func show(with transition: RunningTransition) {
        if let image = transition.new.image { shown.append(.fading(ObjectIdentifier(image))) }
        self.transition = transition
    }

    func endTransition() { transition?.finish() }
}

extension FakeDisplay.Shown {
    init(_ content: ImageContent) {
        switch content {
        case .nothing: self = .nothing
        case .placeholder(let image): self = .placeholder(ObjectIdentifier(image))
        case .preview(let image): self = .preview(ObjectIdentifier(image))
        case .image(let image): self = .image(ObjectIdentifier(image))
        case .failure(let error, let image): self = .failure(error.code, image.map { ObjectIdentifier($0) })
        }
    }

    static func placeholder(_ image: Image) -> Self { .placeholder(ObjectIdentifier(image)) }
    static func preview(_ image: Image) -> Self { .preview(ObjectIdentifier(image)) }
    static func image(_ image: Image) -> Self { .image(ObjectIdentifier(image)) }
    static func fading(_ image: Image) -> Self { .fading(ObjectIdentifier(image)) }
    static func failure(_ code: TintypeError.Code, _ image: Image?) -> Self {
        .failure(code, image.map { ObjectIdentifier($0) })
    }
}

/// An indicator that records its calls.
@MainActor final class FakeIndicator: LoadIndicator {
    private(set) var calls: [String] = []
    private(set) var progress: [LoadProgress] = []

    func start() { calls.append("start") }
    func update(_ progress: LoadProgress) { self.progress.append(progress) }
    func stop() { calls.append("stop") }
}
