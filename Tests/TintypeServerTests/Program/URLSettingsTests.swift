import Foundation
import Testing

@testable import TintypeServer

/// The settings that decide how URLs are read.
@Suite struct URLSettingsTests {
    @Test(
        arguments: [
            (true, [], false), (true, ["https://a.example/"], true), (true, ["https://b.example/"], false),
            (false, [], true), (false, ["https://b.example/"], false),
        ] as [(Bool, [String], Bool)])
    func anUnsignedServerLoadsOnlyWhatIsNamed(_ isUnsigned: Bool, _ rules: [String], _ isAllowed: Bool) throws {
        var settings = ServerSettings()
        settings.signing.isUnsigned = isUnsigned
        settings.sources.allowed = rules
        let parser = try ImageURLParser(settings)
        #expect(parser.allowedSources.allows(try SourceURL("https://a.example/x.jpg")) == isAllowed)
    }

    @Test func theOperatorDecidesWhatDividesAnOptionAndItsArguments() throws {
        var settings = ServerSettings()
        settings.limits.argumentSeparator = ","
        let parser = try ImageURLParser(settings)
        let url = try parser.parse(target: "/unsafe/w,6/rs,fill,7/plain/https://a.example/x.jpg", now: Date())
        #expect(url.options.width == 7 && url.options.resizingType == .fill)
        #expect(throws: ImageURLError.self) {
            try parser.parse(target: "/unsafe/w:6/plain/https://a.example/x.jpg", now: Date())
        }
    }

    @Test(arguments: [(false, "https://a.example/x.jpg/cat.jpg"), (true, "https://a.example/x.jpg")])
    func theOperatorDecidesWhetherASourceHasAName(_ hasFileName: Bool, _ expected: String) throws {
        var settings = ServerSettings()
        settings.sources.hasFileName = hasFileName
        let source = "aHR0cHM6Ly9hLmV4YW1wbGUveC5qcGcv"
        // Without a name, segments of base64 are joined.
        let target =
            hasFileName ? "/unsafe/w:6/aHR0cHM6Ly9hLmV4YW1wbGUveC5qcGc/cat.jpg" : "/unsafe/w:6/\(source)/Y2F0LmpwZw"
        #expect(try ImageURLParser(settings).parse(target: target, now: Date()).source.text == expected)
    }
}
