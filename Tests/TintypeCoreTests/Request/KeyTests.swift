import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct KeyTests {
    private struct Named: ImageTransformer {
        let identifier: String
        func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer { pixels }
    }

    private func key(_ change: (inout ImageRequest) -> Void) throws -> CacheKey {
        var request = ImageRequest(url: try #require(URL(string: "https://example.org/a.jpg")))
        change(&request)
        return request.key
    }

    @Test func anOriginalsKeyIsItsURL() throws {
        let plain = try key { _ in }
        #expect(plain.source == "https://example.org/a.jpg")
        #expect(plain.isOriginal)
    }

    @Test func whatChangesPixelsIsInTheKey() throws {
        let variants = try [
            key { _ in },
            key { $0.rendition.decode.size = .fit(PixelSize(width: 10, height: 10)) },
            key { $0.rendition.decode.size = .stretch(PixelSize(width: 10, height: 10)) },
            key { $0.rendition.decode.size = .atMost(bytes: 1000) },
            key { $0.rendition.decode.scale = 2 },
            key { $0.rendition.transforms = [Named(identifier: "a")] },
            key { $0.rendition.transforms = [Named(identifier: "a"), Named(identifier: "b")] },
            key { $0.rendition.transforms = [Named(identifier: "a|b")] },
            key { $0.rendition.transforms = [Named(identifier: "a\\pb")] },
            key { $0.source = .bytes(Data(), id: "https://example.org/a.jpg") },
        ]
        #expect(Set(variants).count == variants.count)
    }

    @Test func whatDoesNotChangePixelsIsNot() throws {
        let plain = try key { _ in }
        #expect(try key { $0.priority = .high } == plain)
        #expect(try key { $0.policy.freshness = .reload } == plain)
        #expect(try key { $0.policy.previews = .progressive } == plain)
    }

    @Test func keysOfEqualPartsAreEqual() {
        let first = CacheKey(source: "a", rendition: "b")
        let second = CacheKey(source: "a", rendition: "b")
        #expect(first == second && first.hashValue == second.hashValue)
        #expect(first != CacheKey(source: "b", rendition: "a"))
        #expect(first.original == CacheKey(source: "a"))
    }

    @Test func aPlainHTTPSourceSharesTheKeyOfItsURL() throws {
        let url = try #require(URL(string: "https://example.org/a.jpg"))
        #expect(ImageSource.http(HTTPSource(url: url)).identity == ImageSource.url(url).identity)
        let special = HTTPSource(url: url, headers: ["X-Tenant": "1"])
        #expect(ImageSource.http(special).identity != ImageSource.url(url).identity)
    }
}
