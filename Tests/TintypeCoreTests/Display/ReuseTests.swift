import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

/// Which requests keep the image that is shown, and which images a load begins with.
@Suite(.timeLimited) @MainActor struct ReuseTests {
    private let savesData = Shared(false)
    private let view: ViewFixture
    private var fixture: PipelineFixture { view.fixture }
    private var display: FakeDisplay { view.display }
    private var image: Image? { view.binding.content.image }

    init() {
        let savesData = savesData
        view = ViewFixture(PipelineFixture(loader: .ofViews()) { $0.savesData = { savesData.now } })
    }

    private func count(_ name: String = "a") -> Int { fixture.loader.count(fixture.identity(name)) }

    @Test func thePartOfAnImageIsCompletedByTheNextRequest() async throws {
        let broken = TintypeError(.truncatedBody, stage: .load, "test")
        fixture.answer("a", .brokenTransfer(PipelineFixture.png, broken))
        await view.load { $0.rendition.decode.allowsPartial = true }.end()
        #expect(image?.isPartial == true)
        fixture.answer()
        await view.load { $0.rendition.decode.allowsPartial = true }.end()
        #expect(count() == 2 && image?.isPartial == false)
        #expect(view.load { $0.rendition.decode.allowsPartial = true }.ends.now == [nil] && count() == 2)
    }

    @Test func theSmallerSourceIsReplacedWhenDataIsNoLongerSaved() async throws {
        for name in ["a", "low"] { fixture.answer(name) }
        let low = fixture.request("low").source
        savesData.withLock { $0 = true }
        await view.load { $0.lowData = low }.end()
        #expect(count() == 0 && image === view.image("low"))
        savesData.withLock { $0 = false }
        await view.load { $0.lowData = low }.end()
        #expect(count() == 1 && image === view.image())
    }

    @Test func anAlternativeIsReplacedWhenTheImageCanBeLoaded() async throws {
        fixture.answer("a", .failure(TintypeError(.unreachable, stage: .load, "test")))
        fixture.answer("b")
        let other = fixture.request("b").source
        await view.load { $0.alternatives = [other] }.end()
        let first = try #require(view.image("b"))
        fixture.answer()
        await view.load { $0.alternatives = [other] }.end()
        let second = try #require(view.image())
        // The alternative stays until the image is there.
        #expect(display.shown == [.image(first), .image(second)])
    }

    @Test func anImageThatCouldNotBeRefreshedIsRequestedAgain() async throws {
        let old = try await view.storeInMemory()
        fixture.answer("a", .failure(TintypeError(.unreachable, stage: .load, "test")))
        await view.load { $0.policy.freshness = .revalidate }.end()
        #expect(image === old && count() == 2)
        await view.load().end()
        // From memory, but by a load: it is shown again.
        #expect(display.shown.suffix(2) == [.image(old), .image(old)])
    }

    @Test func aRequestForTheBytesGetsThem() async throws {
        fixture.answer()
        await view.load().end()
        let (data, gate) = (Shared<Data?>(nil), Gate())
        view.binding.load(fixture.request().with { $0.policy.delivery.data = .always }) { event in
            guard case .finished(let result) = event else { return }
            data.withLock { $0 = try? result.get().data }
            gate.open()
        }
        _ = await gate.wait()
        #expect(data.now == PipelineFixture.png && count() == 1)
    }

    @Test func aRequestForAnotherScaleGetsIt() async throws {
        fixture.answer()
        await view.load { $0.rendition.decode.scale = 2 }.end()
        #expect(image?.scale == 2)
        #expect(view.load { $0.rendition.decode.scale = 2 }.ends.now == [nil] && display.shown.count == 1)
        #expect(view.load().ends.now == [nil] && image?.scale == 1)
        #expect(count() == 1)
    }

    @Test func aModifierAppliesToItsOwnRequestAlone() async throws {
        let plain = try await view.storeInMemory()
        _ = view.load()
        _ = view.load { $0.resultModifier = { $0.replacing(pixels: $0.pixels) } }
        #expect(image !== plain)
        _ = view.load()
        #expect(image === plain && count() == 1)
    }

    // MARK: The first preview

    @Test func aPlaceholderInMemoryIsShownInTheSameCall() async throws {
        let small = try await view.storeInMemory("small")
        let gate = view.gate()
        let key = fixture.request("small").key
        let waiting = Presentation(whileLoading: .placeholder(try .pixel()))
        let receiver = view.load("a", waiting) { $0.placeholderKey = key }
        #expect(display.shown == [.preview(small)])
        while receiver.previews.now == 0 { try await Task.pause() }
        #expect(display.shown == [.preview(small)])
        gate.open()
        await receiver.end()
        let image = try #require(view.image())
        #expect(display.shown == [.preview(small), .image(image)] && receiver.previews.now == 1)
    }

    @Test func aDeferredLoadShowsItsPlaceholderInMemoryWhenItBegins() async throws {
        let small = try await view.storeInMemory("small")
        let gate = view.gate()
        let key = fixture.request("small").key
        let receiver = view.load("a", Presentation(start: .deferred)) { $0.placeholderKey = key }
        view.binding.begin()
        #expect(display.shown == [.preview(small)])
        gate.open()
        await receiver.end()
    }

    @Test func anImageThatIsRevalidatedIsShownUnmodifiedMeanwhile() async throws {
        let old = try await view.storeInMemory()
        let gate = view.gate()
        let receiver = view.load {
            $0.policy.freshness = .revalidate
            $0.resultModifier = { $0.atScale(2) }
        }
        #expect(display.shown == [.preview(old)])
        gate.open()
        await receiver.end()
        #expect(display.shown.count == 2 && image?.scale == 2)
    }
}
