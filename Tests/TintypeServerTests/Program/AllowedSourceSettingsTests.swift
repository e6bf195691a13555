import Testing

@testable import TintypeServer

@Suite struct AllowedSourceSettingsTests {
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
}
