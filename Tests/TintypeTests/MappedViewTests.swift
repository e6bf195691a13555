import Foundation
import Testing

/// The table of SDWebImage's views in `Views.md` has a column for each module of views. Their symbols are compiled with
/// the tests of the modules, because these may not be built.
@Suite struct MappedViewTests {
    private let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

    @Test(arguments: [
        (1, "Tests/TintypeGTKTests/MappedSymbols.swift"), (2, "Tests/TintypeTerminalTests/View/MappedSymbols.swift"),
    ])
    func everySymbolOfAModuleIsInItsList(_ column: Int, _ file: String) throws {
        let document = try String(
            contentsOf: root.appending(path: "Sources/Tintype/Tintype.docc/Views.md"), encoding: .utf8)
        let list = try String(contentsOf: root.appending(path: file), encoding: .utf8)
        let table = try #require(document.range(of: "## From the views of SDWebImage\n"))
        let rows = document[table.upperBound...].split(separator: "\n").filter { $0.hasPrefix("|") }
        let names = rows.flatMap { symbols(in: $0, column) }
        #expect(names.count >= 5)
        for name in names { #expect(list.contains("\"\(name)\":"), "\(file) lacks \(name)") }
    }

    /// Returns the texts between backticks in a cell that are no paths.
    private func symbols(in row: Substring, _ column: Int) -> [Substring] {
        let cells = row.dropFirst().split(separator: "|")
        guard cells.indices.contains(column) else { return [] }
        let parts = cells[column].split(separator: "`", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }.filter { !$0.contains("/") }
    }
}
