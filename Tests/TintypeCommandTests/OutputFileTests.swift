import Foundation
import TestSupport
import Testing
import Tintype

@testable import TintypeCommand

/// The files that a write leaves in the folder of its target.
@Suite struct OutputFileTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-output-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path(percentEncoded: false))
    }

    /// Whether the file system can create files without a name.
    private func supportsUnnamedFiles(_ folder: String) -> Bool {
        let file = open(folder, O_WRONLY | O_CLOEXEC | SpillFile.withoutName, 0o666)
        guard file >= 0 else { return false }
        close(file)
        return true
    }

    /// A process that is killed meanwhile would leave it.
    @Test func aFileHasNoNameWhileItIsWritten() throws {
        try withFolder { folder in
            guard supportsUnnamedFiles(folder) else { return }
            for contents in ["a", "b"] {
                var names: [String] = ["none"]
                try OutputFile.replace("\(folder)/target") { file in
                    names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                    return Data(contents.utf8).withUnsafeBytes { $0.write(to: file) }
                }
                #expect(names == (contents == "a" ? [] : ["target"]))
                #expect(try String(contentsOfFile: "\(folder)/target", encoding: .utf8) == contents)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["target"])
            }
        }
    }

    @Test func aWriteThatFailsLeavesTheFileAsItWas() throws {
        try withFolder { folder in
            try Data([1]).write(to: URL(filePath: "\(folder)/target"))
            let error = #expect(throws: POSIXError.self) { try OutputFile.replace("\(folder)/target") { _ in ENOSPC } }
            #expect(error?.code == .ENOSPC)
            // The target cannot be replaced.
            try FileManager.default.createDirectory(atPath: "\(folder)/other/in", withIntermediateDirectories: true)
            #expect(throws: POSIXError.self) { try OutputFile.replace("\(folder)/other") { _ in 0 } }
            #expect(try Data(contentsOf: URL(filePath: "\(folder)/target")) == Data([1]))
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder)) == ["target", "other"])
        }
    }

    /// New files get the mode that the user wants.
    @Test func theModeMaskOfTheProcessCounts() throws {
        try withFolder { folder in
            let (plain, written) = ("\(folder)/plain", "\(folder)/written")
            close(open(plain, O_WRONLY | O_CREAT, 0o666))
            try OutputFile.replace(written) { _ in 0 }
            let modes = try [plain, written].map {
                try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
            }
            #expect(modes[0] == modes[1] && modes[0] != nil)
        }
    }

    @Test func aFileThatReplacesAnotherKeepsItsMode() throws {
        try withFolder { folder in
            let path = "\(folder)/target"
            for mode in [0o600, 0o755, 0o444] {
                close(open(path, O_WRONLY | O_CREAT, 0o666))
                chmod(path, mode_t(mode))
                try OutputFile.replace(path) { _ in 0 }
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
            }
        }
    }

    /// As cp and shells write.
    @Test func aLinkIsWrittenThroughUnlessTheUserForbidsThat() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-output-\(UUID())").path()
        try FileManager.default.createDirectory(atPath: "\(folder)/in", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (link, dangling) = ("\(folder)/link", "\(folder)/dangling")
        symlink("in/file", link)
        symlink("link2", dangling)
        symlink("\(folder)/in/new", "\(folder)/link2")
        try await OutputFile.write(Data([1]), to: "\(folder)/in/file")
        try await OutputFile.write(Data([2]), to: link)
        try await OutputFile.write(Data([3]), to: dangling)
        #expect(try Data(contentsOf: URL(filePath: "\(folder)/in/file")) == Data([2]))
        #expect(try Data(contentsOf: URL(filePath: "\(folder)/in/new")) == Data([3]))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "in/file")
        try await OutputFile.write(Data([4]), to: link, followsLinks: false)
        #expect(try Data(contentsOf: URL(filePath: "\(folder)/in/file")) == Data([2]))
        #expect(throws: (any Error).self) { try FileManager.default.destinationOfSymbolicLink(atPath: link) }
        symlink("\(folder)/loop", "\(folder)/loop")
        await expectError(.unwritable) { try await OutputFile.write(Data([5]), to: "\(folder)/loop") }
    }
}
