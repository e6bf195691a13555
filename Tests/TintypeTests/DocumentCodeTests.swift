import Foundation
import Testing

/// The Swift code in the documents and articles is compiled: a comment above each block names a file that contains the
/// code.
@Suite struct DocumentCodeTests {
    /// A block of Swift code.
    private struct Block {
        let document: String
        let code: [String]
        /// The file that the comment above the block names.
        let file: String?

        /// Whether it is part of a package manifest, which no test can compile.
        var isManifest: Bool { code.contains { $0.hasPrefix(".package(") } }

        /// Whether a file contains the lines of the block in their order.
        func isContained(in file: [String]) -> Bool {
            file.indices.contains { file[$0...].starts(with: code) }
        }
    }

    private let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
    private let blocks: [Block]

    init() throws {
        let names = try ["docs", "Sources/Tintype/Tintype.docc"].flatMap { [root] folder in
            try FileManager.default.contentsOfDirectory(
                atPath: root.appending(path: folder).path(percentEncoded: false)
            )
            .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
        blocks = try (["README.md", "CONTRIBUTING.md"] + names.sorted()).flatMap { [root] name in
            Self.blocks(of: name, in: try String(contentsOf: root.appending(path: name), encoding: .utf8))
        }
    }

    private static func blocks(of document: String, in text: String) -> [Block] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.filter { lines[$0] == "```swift" }.map { start in
            let code = lines[(start + 1)...].prefix { $0 != "```" }
            let comment = start > 0 ? lines[start - 1].wholeMatch(of: /<!-- compiled by (.+) -->/) : nil
            return Block(document: document, code: essential(code), file: comment.map { String($0.1) })
        }
    }

    /// Returns lines without their indentation, empty lines, imports and attributes of the entry point: a test file may
    /// differ in these.
    private static func essential(_ lines: some Sequence<Substring>) -> [String] {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("import ") }
            .map { $0.hasPrefix("@main ") ? String($0.dropFirst(6)) : $0 }
    }

    @Test func everyBlockOfADocumentIsCompiled() throws {
        #expect(blocks.count >= 25)
        for block in blocks where !block.isManifest {
            let first = block.code.first ?? ""
            guard let name = block.file else {
                Issue.record("\(block.document): no comment names the file with the code after: \(first)")
                continue
            }
            let file = try String(contentsOf: root.appending(path: name), encoding: .utf8)
            let lines = Self.essential(file.split(separator: "\n"))
            #expect(block.isContained(in: lines), "\(name) lacks the code in \(block.document) after: \(first)")
        }
    }
}
