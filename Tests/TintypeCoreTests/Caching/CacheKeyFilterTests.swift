import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct CacheKeyFilterTests {
    private func key(_ url: String, _ filter: CacheKeyFilter) throws -> CacheKey {
        filter.intercept(ImageRequest(url: try #require(URL(string: url)))).key
    }

    @Test(arguments: [
        ("https://h/a.png?token=1&w=2", "https://h/a.png?w=2"), ("https://h/a.png?token=1", "https://h/a.png"),
        ("https://h/a.png?w=%20%26", "https://h/a.png?w=%20%26"), ("https://h/a.png", "https://h/a.png"),
        ("https://h/a.png?tokens=1", "https://h/a.png?tokens=1"),
        ("https://h/a.png?to%6Ben=1&w=2", "https://h/a.png?w=2"),
    ])
    func namedQueryItemsAreDropped(_ url: String, _ name: String) throws {
        #expect(try key(url, .droppingQueryItems(["token"])).source == name)
    }

    @Test(arguments: [
        ("https://h/a?b=1&a=2", "https://h/a?a=2&b=1"), ("https://h/a?b=2&a&b=1", "https://h/a?a&b=2&b=1"),
    ])
    func queryItemsAreSortedAndThoseOfOneNameKeepTheirOrder(_ url: String, _ name: String) throws {
        #expect(try key(url, .sortingQuery).source == name)
    }

    @Test func anExplicitRuleNamesSomeURLsAndKeepsOthers() throws {
        let filter = CacheKeyFilter { $0.path == "/a" ? "image" : nil }
        #expect(try key("https://h/a?x", filter).source == "image")
        #expect(try key("https://h/b", filter).source == "https://h/b")
    }

    @Test func theSourceAndTheRenditionDoNotChange() throws {
        var request = ImageRequest(url: try #require(URL(string: "https://h/a?token=1")))
        request.rendition.decode.size = .fit(PixelSize(width: 1, height: 1))
        let named = CacheKeyFilter.droppingQueryItems(["token"]).intercept(request)
        #expect(named.source.identity == "https://h/a?token=1")
        #expect(named.key.source == "https://h/a" && named.key.rendition == request.key.rendition)
    }

    @Test func requestsWithHeaderFieldsAreNotRenamed() throws {
        let url = try #require(URL(string: "https://h/a?token=1"))
        let request = ImageRequest(source: .http(HTTPSource(url: url, headers: ["Accept": "x"])))
        #expect(CacheKeyFilter.droppingQueryItems(["token"]).intercept(request).key == request.key)
    }
}
