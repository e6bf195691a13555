import Foundation
import Testing

@testable import TintypeCore

/// Directories whose path contains links, or lies below directories that other users can change.
@Suite struct FolderLocationTests {
    /// Runs `body` with the path of an empty directory, which is removed afterwards.
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "tintype-folder-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url.path(percentEncoded: false))
    }

    private func makeDirectory(_ path: String, mode: mode_t = 0o755) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(chmod(path, mode) == 0)
    }

    private func problem(_ body: () throws(FolderFailure) -> OwnedFolder) -> FolderFailure? {
        do throws(FolderFailure) { _ = try body() } catch { return error }
        return nil
    }

    @Test func thePathIsThatOfTheInnermostFolder() {
        let named = FolderLocation(named: URL(filePath: "/a/b/"))
        #expect(
            named.path == "/a/b" && named.folder("c").folder("d").path == "/a/b/c/d" && named.folder("c").root == "/a/b"
        )
        let own = FolderLocation(own: URL(filePath: "/a/b/c"))
        #expect(own.root == "/a/b" && own.path == "/a/b/c")
        #expect(FolderLocation(own: URL(filePath: "/a")).path == "/a")
        #expect(FolderLocation(own: URL(filePath: "/a")).root == "/")
        #expect(FolderLocation(own: URL(filePath: "/")).path == "/")
    }

    @Test func makingCreatesWhatIsMissing() throws {
        try withDirectory { path in
            let location = FolderLocation(named: "\(path)/a/b").folder("c")
            #expect(problem { () throws(FolderFailure) in try location.open() }?.errorNumber == ENOENT)
            let folder = try location.make()
            #expect(folder.path == "\(path)/a/b/c" && location.path == folder.path)
            var status = stat()
            #expect(stat("\(path)/a/b", &status) == 0 && status.st_mode & 0o777 == 0o700)
            #expect(problem { () throws(FolderFailure) in try location.open() } == nil)
        }
    }

    @Test func aDirectoryWhoseFoldersOthersMayReplaceIsRefused() throws {
        try withDirectory { path in
            try makeDirectory("\(path)/shared/cache")
            let location = FolderLocation(named: "\(path)/shared/cache")
            for mode: mode_t in [0o755, 0o775, 0o1777] {
                #expect(chmod("\(path)/shared", mode) == 0)
                #expect(problem { () throws(FolderFailure) in try location.open() } == nil)
            }
            #expect(chmod("\(path)/shared", 0o777) == 0)
            let failure = problem { () throws(FolderFailure) in try location.open() }
            #expect(failure?.problem == .replaceable && failure?.path == "\(path)/shared")
            #expect(problem { () throws(FolderFailure) in try location.folder("new").make() }?.problem == .replaceable)
        }
    }

    /// Only the superuser can give files away.
    @Test func aDirectoryOrLinkOfAnotherUserOnTheWayIsRefused() throws {
        guard geteuid() == 0 else { return print("skipped: this user cannot give a directory away") }
        try withDirectory { path in
            try makeDirectory("\(path)/other/cache")
            #expect(symlink("other", "\(path)/link") == 0)
            let location = FolderLocation(named: "\(path)/link/cache")
            #expect(problem { () throws(FolderFailure) in try location.open() } == nil)
            #expect(lchown("\(path)/link", 12_345, gid_t.max) == 0)
            let link = problem { () throws(FolderFailure) in try location.open() }
            #expect(link?.problem == .foreign(12_345) && link?.path == "\(path)/link")
            #expect(chown("\(path)/other", 12_345, gid_t.max) == 0)
            let directory = problem { () throws(FolderFailure) in
                try FolderLocation(named: "\(path)/other/cache").open()
            }
            #expect(directory?.problem == .foreign(12_345) && directory?.path == "\(path)/other")
        }
    }

    @Test(arguments: ["target", "./target", "../NAME/target", "other", "/PATH/target"])
    func aLinkOfThisUserIsFollowedInTheNamedPath(_ text: String) throws {
        try withDirectory { path in
            try makeDirectory("\(path)/target")
            #expect(symlink("target", "\(path)/other") == 0)
            let target = text.replacing("/PATH", with: path).replacing(
                "NAME", with: path.split(separator: "/").last ?? "")
            #expect(symlink(target, "\(path)/link") == 0)
            _ = try FolderLocation(named: "\(path)/link").folder("own").make()
            #expect(access("\(path)/target/own", F_OK) == 0)
        }
    }

    @Test func theEndOfALinkMustPassTheRuleForNamedDirectories() throws {
        try withDirectory { path in
            #expect(symlink(".", "\(path)/here") == 0)
            _ = try FolderLocation(named: "\(path)/here").folder("own").make()
            #expect(access("\(path)/own", F_OK) == 0)
            #expect(symlink("loop", "\(path)/loop") == 0)
            #expect(
                problem { () throws(FolderFailure) in try FolderLocation(named: "\(path)/loop").open() }?.errorNumber
                    == ELOOP)
            try Data().write(to: URL(filePath: "\(path)/file"))
            #expect(
                problem { () throws(FolderFailure) in try FolderLocation(named: "\(path)/file/a").make() }?.errorNumber
                    == ENOTDIR)
        }
    }

    @Test func aLinkInPlaceOfAnOwnFolderIsRefused() throws {
        try withDirectory { path in
            try makeDirectory("\(path)/target")
            #expect(symlink("target", "\(path)/own") == 0)
            for location in [
                FolderLocation(named: path).folder("own"), FolderLocation(own: URL(filePath: "\(path)/own")),
            ] {
                #expect(problem { () throws(FolderFailure) in try location.open() }?.problem == .notADirectory)
                #expect(problem { () throws(FolderFailure) in try location.make() }?.problem == .notADirectory)
            }
        }
    }

    @Test func onlyWhatHoldsNoDataIsRemovedFromAName() throws {
        try withDirectory { path in
            let folder = try FolderLocation(named: path).open()
            try makeDirectory("\(path)/empty")
            try makeDirectory("\(path)/full/inner")
            try Data("mine".utf8).write(to: URL(filePath: "\(path)/file"))
            #expect(symlink("file", "\(path)/link") == 0 && mkfifo("\(path)/pipe", 0o600) == 0)
            for name in ["empty", "full", "file", "link", "pipe"] {
                #expect(folder.displace(name) == 0 && folder.status(of: name) == nil)
            }
            #expect(folder.displace("none") == -1 && errno == ENOENT)
            let rest = folder.names().sorted()
            #expect(rest.map { $0.prefix { $0 != "." } } == ["file", "full"])
            #expect(rest.allSatisfy { $0.contains(".displaced-") })
        }
    }
}
