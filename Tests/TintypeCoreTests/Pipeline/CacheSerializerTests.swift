import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct CacheSerializerTests {
    private let calls = Shared<[(data: Data?, key: CacheKey)]>([])

    private func serializer(_ form: CacheSerializer.Form) -> CacheSerializer {
        CacheSerializer { [calls] _, data, key in
            calls.withLock { $0.append((data, key)) }
            return form
        }
    }

    private func fixture(_ serializer: CacheSerializer?) -> PipelineFixture {
        let fixture = PipelineFixture { $0.serializer = serializer }
        fixture.answer()
        return fixture
    }

    private func load(_ fixture: PipelineFixture, transformed: Bool = false, overrides: RequestOverrides? = nil)
        async throws
        -> CacheKey
    {
        var request = fixture.request()
        if transformed { request.rendition.transforms = [CountingTransformer(identifier: "t")] }
        request.overrides = overrides
        request.policy.delivery.completion = .whenStored
        _ = try await fixture.pipeline.response(for: request)
        return request.key
    }

    @Test func anOriginalIsStoredInTheReturnedForm() async throws {
        let bytes = PipelineFixture.png + Data([1, 2, 3])
        let fixture = fixture(serializer(.bytes(bytes, .webp)))
        let key = try await load(fixture)
        #expect(fixture.disk.stored(key)?.data == bytes && fixture.disk.stored(key)?.format == .webp)
        #expect(calls.now.map(\.data) == [PipelineFixture.png] && calls.now.map(\.key) == [key])
    }

    @Test func aRenditionIsPassedWithoutBytes() async throws {
        let bytes = PipelineFixture.png + Data([1])
        let fixture = fixture(serializer(.bytes(bytes, .gif)))
        let key = try await load(fixture, transformed: true)
        #expect(fixture.disk.stored(key)?.data == bytes && fixture.disk.stored(key)?.format == .gif)
        #expect(calls.now.contains { $0.data == nil && $0.key == key })
        #expect(StoredInfo(decoding: try #require(fixture.disk.stored(key)).metadata) != nil)
    }

    @Test func theStandardFormEqualsNoSerializer() async throws {
        let (with, without) = (fixture(serializer(.standard)), fixture(nil))
        for transformed in [false, true] {
            let key = try await load(with, transformed: transformed)
            _ = try await load(without, transformed: transformed)
            #expect(with.disk.stored(key)?.data == without.disk.stored(key)?.data)
            #expect(with.disk.stored(key)?.format == without.disk.stored(key)?.format)
        }
    }

    @Test func aSerializerMayStoreNothing() async throws {
        let fixture = fixture(serializer(.nothing))
        _ = try await load(fixture, transformed: true)
        #expect(fixture.disk.keys.isEmpty)
    }

    @Test func anErrorOfASerializerFailsNoLoad() async throws {
        let fixture = fixture(
            CacheSerializer { _, _, _ throws(TintypeError) in throw TintypeError(.encodeFailed, stage: .encode, "no") })
        _ = try await load(fixture, transformed: true)
        #expect(fixture.disk.keys.isEmpty)
    }

    @Test func aRequestMayOverrideTheSerializer() async throws {
        let fixture = fixture(serializer(.standard))
        _ = try await load(fixture, overrides: RequestOverrides(serializer: serializer(.nothing)))
        #expect(fixture.disk.keys.isEmpty && calls.now.count == 1)
    }

    @Test func onlyFullSizeOriginalsOfTheNamedFormatsAreReencoded() async throws {
        let serializer = CacheSerializer.reencoding([.webp], as: .jpeg, with: FakeEncoder())
        func form(_ format: ImageFormat, _ size: PixelSize, _ data: Data? = Data([1])) throws -> String {
            let image = Image(
                pixels: try .filled(Pixel(red: 0, green: 0, blue: 0)), info: ImageInfo(format: format, size: size))
            return switch try serializer.form(of: image, data, for: CacheKey(source: "a")) {
            case .standard: "standard"
            case .bytes(_, let format): format.rawValue
            case .nothing: "nothing"
            }
        }
        let one = PixelSize(width: 1, height: 1)
        #expect(try form(.webp, one) == "jpeg")
        #expect(try form(.png, one) == "standard")
        #expect(try form(.webp, one, nil) == "standard")
        #expect(try form(.webp, PixelSize(width: 2, height: 2)) == "standard")
    }
}
