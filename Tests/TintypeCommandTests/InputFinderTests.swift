import Foundation
import Testing
import Tintype

@testable import TintypeCommand

/// The images in directories, and those that patterns match.
@Suite struct InputFinderTests {
    /// Runs a test in a folder with empty files.
    private func withFolder(_ files: [String], _ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-finder-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in files {
            let url = folder.appending(path: file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
        }
        try body(folder)
    }

    private func inputs(_ argument: String, isRecursive: Bool = true) -> [BatchInput] {
        InputFinder(isRecursive: isRecursive).inputs([SourceArgument(argument: argument)])
    }

    @Test func theImagesOfATreeAreFoundInOrder() throws {
        try withFolder(["b.png", "a.jpg", "x/c.webp", "x/y/d.gif", "notes.txt", ".hidden.png", ".git/e.png"]) {
            folder in
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "link"), withDestinationURL: folder.appending(path: "x"))
            let path = folder.path(percentEncoded: false)
            let inputs = inputs(path)
            #expect(
                inputs.map { $0.source.text.dropFirst(path.count + 1) } == ["a.jpg", "b.png", "x/c.webp", "x/y/d.gif"])
            #expect(inputs.map(\.directory) == ["", "", "x", "x/y"])
        }
    }

    /// Root may list every directory.
    @Test func aDirectoryThatCannotBeListedIsAFailureAmongTheOthers() throws {
        try withFolder(["a.jpg", "locked/b.jpg", "z.jpg"]) { folder in
            let locked = folder.appending(path: "locked").path(percentEncoded: false)
            chmod(locked, 0)
            defer { chmod(locked, 0o700) }
            let inputs = inputs(folder.path(percentEncoded: false))
            #expect(inputs.count == 3)
            guard geteuid() != 0 else { return }
            #expect(inputs.map(\.problem) == [nil, .unlistable(EACCES), nil])
            let failure = try #require(inputs[1].failure)
            #expect(failure.code == .unreadable && failure.subject == locked)
            #expect(failure.message == "cannot list the directory: permission denied")
        }
    }

    /// `\xFF.png` is also the escaped form of a name that is not UTF-8.
    @Test(arguments: [("", 2, 4), ("/*.png", 1, 3)])
    func aNameThatIsNotUTF8IsAFailureAmongTheOthers(_ pattern: String, _ failures: Int, _ count: Int) throws {
        try withFolder(["a.png", "\\xFF.png"]) { folder in
            let path = folder.path(percentEncoded: false)
            // FileManager may not remove them.
            let made = ["\u{FF}.png", "\u{FF}.txt", "\u{FE}"].map { CommandFixture.latin1("\(path)/\($0)") }
            defer { for name in made { remove(name) } }
            for name in made.dropLast() {
                let file = open(name, O_CREAT, 0o600)
                try #require(file >= 0)
                close(file)
            }
            try #require(mkdir(made[2], 0o700) == 0)
            let inputs = inputs(path + pattern)
            let failed = inputs.filter { $0.problem == .notUTF8 }
            #expect(inputs.count == count && failed.count == failures)
            let names = Set(failed.map { $0.source.text.dropFirst(path.count + 1) })
            #expect(names.contains("\\xFF.png") && names.isSubset(of: ["\\xFF.png", "\\xFE"]))
            let failure = try #require(failed.first?.failure)
            #expect(failure.code == .unreadable && failure.message == "the name is not valid UTF-8")
        }
    }

    @Test func aFailureNamesTheDirectoryAndTheReason() throws {
        let input = BatchInput(source: SourceArgument(argument: "photos/x"), problem: .unlistable(EIO))
        #expect(try #require(input.failure).description.hasPrefix("photos/x: cannot list the directory: "))
        #expect(!input.isFile && BatchInput(source: SourceArgument(argument: "a.png")).isFile)
    }

    @Test func aPatternMatchesFilesAndAMissingOneStaysItself() throws {
        try withFolder(["a.png", "b.png", "c.jpg", "[x].png"]) { folder in
            let path = folder.path(percentEncoded: false)
            func names(_ pattern: String) -> [String] {
                inputs("\(path)/\(pattern)", isRecursive: false).map {
                    String($0.source.text.dropFirst(path.count + 1))
                }
            }
            #expect(names("?.png") == ["a.png", "b.png"])
            #expect(names("[x].png") == ["[x].png"])
            #expect(names("*.gif") == ["*.gif"])
        }
    }

    @Test(arguments: ["-", "http://h/*.png", "data:,x"]) func onlyPathsAreExpanded(_ argument: String) {
        #expect(inputs(argument).map(\.source.text) == [argument])
    }
}
