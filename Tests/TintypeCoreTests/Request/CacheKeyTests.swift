import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct CacheKeyTests {
    private struct Named: ImageTransformer {
        let identifier: String
        func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer { pixels }
    }

    private func key(_ change: (inout ImageRequest) -> Void) throws -> CacheKey {
        var request = ImageRequest(url: try #require(URL(string: "https://example.org/a.jpg")))
        change(&request)
        return request.key
    }

    @Test func theKeyOfAnOriginalIsItsURL() throws {
        let plain = try key { _ in }
        #expect(plain.source == "https://example.org/a.jpg")
        #expect(plain.isOriginal)
    }

    @Test func settingsThatChangePixelsAreInTheKey() throws {
        let variants = try [
            key { _ in },
            key { $0.rendition.decode.size = .fit(PixelSize(width: 10, height: 10)) },
            key { $0.rendition.decode.size = .shrink(PixelSize(width: 10, height: 10)) },
            key { $0.rendition.decode.size = .atMost(bytes: 1000) },
            key { $0.rendition.decode.allowsPartial = true },
            key { $0.rendition.decode.range = .high },
            key { $0.rendition.decode.frames = .first },
            key { $0.rendition.decode.decoder = NamedDecoder(id: "a", decoder: GatedDecoder()) },
            key { $0.rendition.decode.decoder = NamedDecoder(id: "b", decoder: GatedDecoder()) },
            key { $0.rendition.decode.crop = PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1)) },
            key { $0.rendition.decode.page = 1 },
            key { $0.rendition.decode.formatHint = .tiff },
            key { ($0.rendition.decode.formatHint, $0.rendition.decode.hintUse) = (.tiff, .always) },
            key { $0.rendition.transforms = [Named(identifier: "a")] },
            key { $0.rendition.transforms = [Named(identifier: "a"), Named(identifier: "b")] },
            key { $0.rendition.transforms = [Named(identifier: "a|b")] },
            key { $0.rendition.transforms = [Named(identifier: "a\\pb")] },
            key { $0.source = .bytes(Data(), id: "https://example.org/a.jpg") },
        ]
        #expect(Set(variants).count == variants.count)
    }

    @Test func settingsThatDoNotChangePixelsAreNotInTheKey() throws {
        let plain = try key { _ in }
        #expect(try key { $0.priority = .high } == plain)
        #expect(try key { $0.policy.freshness = .reload } == plain)
        #expect(try key { $0.policy.delivery.previews = .progressive } == plain)
        #expect(try key { $0.rendition.decode.scale = 2 } == plain)
    }

    @Test func aSizeWithoutLimitsIsTheOriginal() throws {
        let none = PixelSize(width: 0, height: 0)
        for size in [DecodeOptions.Size.fit(none), .shrink(none), .cover(none)] {
            #expect(try key { $0.rendition.decode.size = size }.isOriginal)
        }
        #expect(try !key { $0.rendition.decode.size = .fit(PixelSize(width: 0, height: 1)) }.isOriginal)
    }

    /// Keys are stored on disk, so these strings must never change.
    @Test func identifiersOfSizesDoNotChange() {
        let box = PixelSize(width: 4, height: 3)
        let identifiers: [(DecodeOptions.Size, String)] = [
            (.full, ""), (.fit(box), "fit(4x3)"), (.shrink(box), "stretch(4x3)"), (.cover(box), "cover(4x3)"),
            (.atMost(bytes: 5), "atMost(5)"),
        ]
        for (size, identifier) in identifiers { #expect(DecodeOptions(size: size).identifier == identifier) }
    }

    @Test func aDifferentSourceResetsTheIdentity() throws {
        let url = try #require(URL(string: "https://example.org/b.jpg"))
        var request = ImageRequest(url: try #require(URL(string: "https://example.org/a.jpg")))
        request.identity = "a"
        #expect(request.with { $0.source = $0.source }.identity == "a")
        request.source = .url(url)
        #expect(request.identity == nil && request.key.source == url.absoluteString)
    }

    @Test func keysWithEqualPartsAreEqual() {
        let first = CacheKey(source: "a", rendition: "b")
        let second = CacheKey(source: "a", rendition: "b")
        #expect(first == second && first.hashValue == second.hashValue)
        #expect(first != CacheKey(source: "b", rendition: "a"))
        #expect(first.original == CacheKey(source: "a"))
    }

    @Test func aURLDoesNotHaveTheIdentityOfBytesOrClosures() throws {
        let (closure, bytes) = (try #require(URL(string: "closure:a")), try #require(URL(string: "bytes:a")))
        #expect(ImageSource.url(closure).identity != ImageSource.closure(id: "a") { Data() }.identity)
        #expect(ImageSource.url(bytes).identity != ImageSource.bytes(Data(), id: "a").identity)
        #expect(ImageSource.url(try #require(URL(string: "custom:a"))).identity == "url custom:a")
        for url in [closure, bytes] {
            #expect(ImageSource.http(HTTPSource(url: url)).identity == ImageSource.url(url).identity)
        }
    }

    @Test func aPlainHTTPSourceSharesTheKeyOfItsURL() throws {
        let url = try #require(URL(string: "https://example.org/a.jpg"))
        #expect(ImageSource.http(HTTPSource(url: url)).identity == ImageSource.url(url).identity)
        let special = HTTPSource(url: url, headers: ["X-Tenant": "1"])
        #expect(ImageSource.http(special).identity != ImageSource.url(url).identity)
    }

    @Test func headerFieldsAreADigestInTheKey() throws {
        let url = try #require(URL(string: "https://example.org/a.jpg"))
        func identity(_ headers: [String: String], _ method: String = "GET") -> String {
            ImageSource.http(HTTPSource(url: url, method: method, headers: headers)).identity
        }
        let secret = identity(["Authorization": "Bearer secret"])
        #expect(!secret.contains("secret") && secret.contains("https://example.org/a.jpg"))
        #expect(secret == identity(["authorization": "Bearer secret"]))
        let others = [
            identity(["Authorization": "Bearer other"]), identity(["Authorization": "Bearer secret"], "POST"),
            identity(["A": "1", "B": "2"]), identity(["A": "1b:1:2"]), identity(["A": "1\nb: 2"]), identity(["A": "1"]),
            identity([:], "POST"), secret,
        ]
        #expect(Set(others).count == others.count)
    }

    @Test func theCredentialOfAURLIsADigestInTheKey() throws {
        func identity(_ text: String) throws -> String { ImageSource.url(try #require(URL(string: text))).identity }
        let secret = try identity("https://me:secret@example.org/a@2x.jpg")
        #expect(!secret.contains("secret") && secret.hasPrefix("https://example.org/a@2x.jpg\n"))
        #expect(try secret != identity("https://me:other@example.org/a@2x.jpg"))
        #expect(try identity("https://example.org/a@2x.jpg") == "https://example.org/a@2x.jpg")
    }
}
