import Foundation
import TestSupport
import Testing
import Tintype

@testable import TintypeCommand

/// The names of fetched files. URLs come from outside.
@Suite(.timeLimited) struct OutputNamesTests {
    private func name(_ url: String, _ format: ImageFormat = .png) -> String {
        var names = OutputNames()
        return names.next(OutputName(for: url, format: format))
    }

    @Test(arguments: [
        ("http://a/b.jpg", "b.jpg"), ("http://a/b", "b.png"), ("http://a/b.php", "b.php.png"), ("http://a/", "a.png"),
        ("http://a/x/b.jpg?c=d/e.gif#f", "b.jpg"), ("http://a/b%20c.jpg", "b c.jpg"), ("http://a/b.jpg/", "b.jpg"),
        ("http://a/%2e%2e%2fb", "_b.png"), ("http://a/.hidden", "hidden.png"), ("http://a/-rf.png", "rf.png"),
        ("http://a/.%CC%81b.png", "\u{301}b.png"), ("http://a/a%00b%1B%7Fc.png", "a_b__c.png"),
        ("http://a/photo%E2%80%AEgpj.exe", "photo_gpj.exe.png"), ("http://a/%ff.png", "%ff.png"),
        ("http://a/...", "image.png"), ("http://a/.png", "png.png"), ("data:image/png;base64,AA/b.gif", "image.png"),
        ("DATA:,x/y", "image.png"), ("", "image.png"), ("/", "image.png"), ("?x", "image.png"),
    ]) func aNameIsTheLastPathComponentMadeSafe(_ url: String, _ expected: String) {
        #expect(name(url) == expected)
    }

    @Test(arguments: ["a", "é", "👩‍👩‍👧", "e\u{301}", "a/b", ".a", "%41", "%"])
    func anyNameFitsIntoADirectoryEntry(_ part: String) {
        for ending in ["", ".jpg"] {
            let name = name("http://a/" + String(repeating: part, count: 500) + ending)
            #expect(name.utf8.count <= 200 && !name.hasPrefix(".") && !name.contains("/"))
            #expect(name.hasSuffix(ending.isEmpty ? ".png" : ".jpg"))
        }
    }

    /// With quadratic work, this would take longer than the time limit.
    @Test func aLongURLTakesLinearTime() {
        #expect(name("http://a/" + String(repeating: "x", count: 4_000_000)).utf8.count <= 200)
    }

    /// With quadratic work, this would take longer than the time limit.
    @Test func equalNamesTakeLinearTime() {
        var names = OutputNames()
        let url = OutputName(for: "http://a/b.jpg", format: .jpeg)
        let count = 50_000
        let given = Set((0..<count).map { _ in names.next(url) })
        #expect(given.count == count && given.contains("b.jpg") && given.contains("b-\(count).jpg"))
    }

    @Test func namesAreUniqueWithoutCaseAndAmongNumberedNames() {
        var names = OutputNames()
        let urls = ["b-2.jpg", "b.jpg", "B.JPG", "b.jpg", "b-2.jpg", "b.jpg"]
        let given = urls.map { names.next(OutputName(for: "http://a/\($0)", format: .jpeg)) }
        #expect(given == ["b-2.jpg", "b.jpg", "B-3.JPG", "b-4.jpg", "b-2-2.jpg", "b-5.jpg"])
    }
}
