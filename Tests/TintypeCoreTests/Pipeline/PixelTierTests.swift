import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Renditions that are stored on disk as decoded pixels.
@Suite(.timeLimited) struct PixelTierTests {
    private let pixels = FakePixelCache()

    private func fixture(pixels: FakePixelCache? = nil) -> PipelineFixture {
        let tier = pixels ?? self.pixels
        return PipelineFixture { configuration in
            guard let cache = configuration.cache as? ImageCache else { return }
            configuration.cache = ImageCache(memory: nil, disk: cache.disk, pixels: tier)
        }
    }

    private func request(_ fixture: PipelineFixture, _ stored: LoadPolicy.StoredForm = .pixels) -> ImageRequest {
        var request = fixture.request()
        request.rendition.transforms = [CountingTransformer(identifier: "t")]
        request.policy.caching.form = stored
        request.policy.delivery.completion = .whenStored
        return request
    }

    @Test func aHitIsNotDecoded() async throws {
        let fixture = fixture()
        fixture.answer()
        let request = request(fixture)
        _ = try await fixture.pipeline.response(for: request)
        #expect(try await pixels.contains(request.key))
        #expect(!fixture.disk.contains(request.key))
        let decodes = fixture.decoder.decodeCount
        let hit = try await fixture.pipeline.response(for: request)
        #expect(hit.origin == .disk && fixture.decoder.decodeCount == decodes)
    }

    @Test func byDefaultARenditionIsStoredEncoded() async throws {
        let fixture = fixture()
        fixture.answer()
        let request = request(fixture, .automatic)
        _ = try await fixture.pipeline.response(for: request)
        #expect(try await !pixels.contains(request.key))
        #expect(fixture.disk.contains(request.key))
    }

    @Test func aRenditionThatThePixelTierRefusesIsEncoded() async throws {
        let fixture = fixture(pixels: FakePixelCache(accepts: false))
        fixture.answer()
        let request = request(fixture)
        _ = try await fixture.pipeline.response(for: request)
        #expect(fixture.disk.contains(request.key))
    }

    @Test func anEncodedRenditionIsStoredAsPixelsOnRequest() async throws {
        let fixture = fixture()
        fixture.answer()
        _ = try await fixture.pipeline.response(for: request(fixture, .automatic))
        let request = request(fixture)
        #expect(try await fixture.pipeline.response(for: request).origin == .disk)
        try await fixture.pipeline.flush()
        #expect(try await pixels.contains(request.key))
    }

    @Test func aRequestWithoutTheDiskDoesNotReadThePixelTier() async throws {
        let fixture = fixture()
        fixture.answer()
        var request = request(fixture)
        _ = try await fixture.pipeline.response(for: request)
        request.policy.caching.rendition.disk = .off
        request.policy.caching.original.disk = .off
        #expect(try await fixture.pipeline.response(for: request).origin != .disk)
    }

    @Test func anOriginalIsNotStoredAsPixels() async throws {
        let fixture = fixture()
        fixture.answer()
        var request = request(fixture)
        request.rendition.transforms = []
        _ = try await fixture.pipeline.response(for: request)
        #expect(try await !pixels.contains(request.key))
    }
}
