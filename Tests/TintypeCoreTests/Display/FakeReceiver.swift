import Foundation
import TintypeCore
import TintypeTesting
import TintypeViews

/// Records the events of a load, and lets a test wait for its end.
final class FakeReceiver: Sendable {
    /// The error of each end; `nil` for a success.
    let ends = Shared<[TintypeError.Code?]>([])
    let previews = Shared(0)
    let headers = Shared<[PixelSize]>([])
    private let gate = Gate()

    @MainActor func receive(_ event: ImageEvent) {
        switch event {
        case .info(let info): headers.withLock { $0.append(info.size) }
        case .progress: break
        case .preview: previews.withLock { $0 += 1 }
        case .finished(let result):
            ends.withLock { ends in
                if case .failure(let error) = result { ends.append(error.code) } else { ends.append(nil) }
            }
            gate.open()
        }
    }

    /// Waits for the first end.
    func end() async { _ = await gate.wait() }
}

extension FakeLoader {
    /// Returns a loader whose loads do not end before the test suspends, however busy the machine is.
    static func ofViews() -> FakeLoader {
        FakeLoader(beforeAnswer: { await MainActor.run {} })
    }
}

/// A view with one binding over a pipeline of fakes.
@MainActor struct ViewFixture {
    let fixture: PipelineFixture
    let display = FakeDisplay()
    let timer = ManualPlaybackTimer()
    let binding: ImageBinding

    init(_ fixture: PipelineFixture = PipelineFixture(loader: .ofViews())) {
        self.fixture = fixture
        let timer = timer
        binding = ImageBinding(display, pipeline: fixture.pipeline, makeTimer: { timer })
    }

    func load(
        _ name: String = "a", _ presentation: Presentation = Presentation(),
        change: (inout ImageRequest) -> Void = { _ in }
    ) -> FakeReceiver {
        let receiver = FakeReceiver()
        var request = fixture.request(name)
        change(&request)
        binding.load(request, presentation: presentation) { receiver.receive($0) }
        return receiver
    }

    /// Makes the loader wait at a gate before it answers.
    func gate(_ name: String = "a") -> Gate {
        let gate = Gate()
        fixture.answer(name, .gated(gate, .data(PipelineFixture.png)))
        return gate
    }

    func image(_ name: String = "a") -> Image? { fixture.memory.image(for: fixture.request(name).key) }

    /// Stores an image in memory by a load of its own.
    func storeInMemory(_ name: String = "a") async throws -> Image {
        fixture.answer(name)
        let image = try await fixture.pipeline.image(for: fixture.request(name))
        return self.image(name) ?? image
    }

    /// Lets the first bytes of a load arrive that waits at a gate. They contain the header.
    func receive(_ count: Int, of expected: Int? = nil, for name: String = "a") throws {
        guard let received = fixture.loader.lastContext(fixture.identity(name))?.received else { return }
        if let expected { try received.expect(expected) }
        let bytes = PipelineFixture.png + Data(count: max(0, count - PipelineFixture.png.count))
        try bytes.prefix(count).withTypedBytes { bytes throws(TintypeError) in try received.append(bytes) }
    }
}
