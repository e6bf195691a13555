import Foundation
import Testing

@testable import TintypeServer

@Suite struct SettingsDocumentTests {
    /// The document of the settings has the table that the parser is made of.
    @Test func theDocumentHasEverySetting() throws {
        let path = URL(filePath: #filePath).appending(path: "../../../../docs/settings.md").standardizedFileURL
        let lines = Set(try String(contentsOf: path, encoding: .utf8).split(separator: "\n"))
        for line in SettingsTable.markdown.split(separator: "\n") { #expect(lines.contains(line), "\(line)") }
        let names = lines.filter { $0.hasPrefix("| `TINTYPE_") }
        #expect(names.count == SettingsTable.all.count)
    }
}
