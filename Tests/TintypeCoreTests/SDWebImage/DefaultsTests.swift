import Foundation
import Testing

@testable import TintypeCore
@testable import TintypeViews

/// The defaults are those of SDWebImage unless there is a reason to differ.
@Suite struct DefaultsTests {
    private let request = ImageRequest(source: .bytes(Data(), id: "a"))

    @Test func theRenditionIsCachedInBothTiersAndTheOriginalOnDisk() {
        #expect(request.policy.caching.rendition == CacheRules(memory: .readWrite, disk: .readWrite))
        #expect(request.policy.caching.original == CacheRules(memory: .off, disk: .readWrite))
    }

    @Test func aCachedImageIsUsedUntilItIsEvicted() {
        #expect(request.policy.freshness == .cached)
    }

    @Test func failuresAreRespectedAndPreviewsOff() {
        #expect(request.policy.failureMemory == .respected && request.policy.delivery.previews == .none)
    }

    @Test func completionDoesNotWaitForTheDisk() {
        #expect(request.policy.delivery.completion == .whenReady && request.policy.delivery.data == .whenLoaded)
    }

    @Test func imagesAreDecodedInFullInStandardRange() {
        #expect(request.rendition.decode == DecodeOptions())
        #expect(request.rendition.decode.size == .full && request.rendition.decode.frames == .all)
        #expect(request.rendition.decode.range == .standard && request.rendition.decode.scale == nil)
    }

    @Test func transformsSkipAnimatedAndVectorImages() {
        #expect(request.rendition.transforms.isEmpty && request.rendition.transformScope.isEmpty)
    }

    @Test func thePriorityIsNormal() {
        #expect(request.priority == .normal)
    }

    @Test func threeImagesArePrefetchedConcurrently() {
        #expect(PrefetchSettings().concurrency == 3)
    }

    @Test func transitionsLastHalfASecondAndSkipMemoryHits() {
        #expect(ImageTransition.fade.duration == .milliseconds(500) && ImageTransition.fade.when == .waitedFor)
    }

    @Test func theFluentAndTheMemberwiseFormsAgree() throws {
        let url = try #require(URL(string: "https://example.org/a.jpg"))
        let fluent = ImageRequest(url: url).fitting(width: 10, height: 20).freshness(.reload).failureMemory(.ignored)
            .previews(.progressive).priority(.high).orElse(.file("/a"))
        let memberwise = ImageRequest(
            source: .url(url),
            rendition: Rendition(decode: DecodeOptions(size: .fit(PixelSize(width: 10, height: 20)))),
            policy: LoadPolicy(
                freshness: .reload, delivery: LoadPolicy.Delivery(previews: .progressive), failureMemory: .ignored),
            priority: .high,
            alternatives: [.file("/a")])
        #expect(fluent.key == memberwise.key && fluent.policy == memberwise.policy)
        #expect(fluent.priority == memberwise.priority)
        #expect(fluent.alternatives.map(\.identity) == memberwise.alternatives.map(\.identity))
    }
}
