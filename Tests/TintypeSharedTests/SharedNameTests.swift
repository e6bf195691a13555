import Foundation
import Testing
import TintypeCore

@testable import TintypeShared

@Suite struct SharedNameTests {
    private let original = CacheKey(source: "https://example.org/a.png")
    private let rendition = CacheKey(source: "https://example.org/a.png", rendition: "fit(1x1)")

    /// The digests are those of `sha256sum` for the URL, and for the URL, the byte 1F and the rendition.
    @Test func namesAreMadeOfTheDigestOfTheKey() {
        let first = "077c887d094368c955d80cb3562e2e0284d1355693196dfdd87e42854ac81349"
        let second = "ed6381e07ebaf47192d4b556790a1f061e899fbeb3e2c5b746d8abd5d1dbbb29"
        #expect(SharedName.entry(original) == "tt1/s/07/7c/\(first)")
        #expect(SharedName.entry(rendition) == "tt1/r/ed/63/\(second)")
        #expect(SharedName.lease(rendition) == "tt1/l/\(second)")
        #expect(SharedName.failure(original) == "tt1/f/\(first)")
    }

    @Test func namesAreShortASCIIForAnyKey() {
        for source in ["", "a\r\nSET x 1\r\n", "../../etc/passwd", String(repeating: "ä", count: 100_000), "\u{0}"] {
            let name = SharedName.entry(CacheKey(source: source, rendition: source))
            #expect(name.utf8.count == 76 && name.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    @Test(arguments: [
        (ImageSource.url(URL(filePath: "/tmp/a.png")), false),
        (.bytes(Data(), id: "a"), false),
        (.closure(id: "a") { Data() }, false),
        (.url(URL(string: "data:image/png,a") ?? URL(filePath: "/")), false),
        (.url(URL(string: "https://example.org/a.png") ?? URL(filePath: "/")), true),
        (.url(URL(string: "https://user:word@example.org/a.png") ?? URL(filePath: "/")), false),
        (.http(HTTPSource(url: URL(string: "https://example.org/") ?? URL(filePath: "/"), method: "POST")), false),
    ])
    func onlySourcesThatAreTheSameEverywhereAreShareable(_ source: ImageSource, _ isShareable: Bool) {
        #expect(CacheKey(source: source.identity).isShareable == isShareable)
        #expect(CacheKey(source: source.identity, rendition: "fit(1x1)").isShareable == isShareable)
    }

    @Test func headerFieldsMakeASourcePrivate() throws {
        let url = try #require(URL(string: "https://example.org/a.png"))
        let withCookie = ImageSource.http(HTTPSource(url: url, headers: ["Cookie": "a=b"]))
        #expect(!CacheKey(source: withCookie.identity).isShareable)
        #expect(CacheKey(source: ImageSource.http(HTTPSource(url: url)).identity).isShareable)
    }

    @Test func anIdentityThatTheProgramHasChosenIsShareable() {
        for source in ["avatar 7", "product/7 front", "7"] { #expect(CacheKey(source: source).isShareable) }
    }

    /// A variant of an original has a line more in its identity: see `VariantName`.
    @Test func variantsAreShareable() {
        let variant = VariantName(3).identity(of: "https://example.org/a.png")
        #expect(CacheKey(source: variant).isShareable)
    }
}
