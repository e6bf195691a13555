import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Cookies that persist.
@Suite(.timeLimited) struct CookieFileTests {
    private static let page = URL(string: "https://x.org/")

    /// Runs a test with the path of a file that does not exist.
    private func withFile(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-cookies-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let result: Result<Void, any Error>
        do { result = .success(try await body(folder.appending(path: "cookies"))) } catch { result = .failure(error) }
        try? FileManager.default.removeItem(at: folder)
        try result.get()
    }

    @Test func cookiesSurviveTheProcessUnlessTheyEndWithIt() async throws {
        let page = try #require(Self.page)
        try await withFile { file in
            let store = try CookieStore(file: file)
            store.store(["a=1; Max-Age=3600; Secure", "b=2", "c=3; Max-Age=3600; Path=/c"], setBy: page)
            try await store.flush()
            let again = try CookieStore(file: file)
            #expect(again.cookies == store.cookies.filter { $0.expires != nil } && again.cookies.count == 2)
            store.store(["a=; Max-Age=0"], setBy: page)
            try await store.flush()
            #expect(try CookieStore(file: file).cookies.map(\.name) == ["c"])
            store.clear()
            try await store.flush()
            #expect(try CookieStore(file: file).cookies.isEmpty)
        }
    }

    @Test func onlyThisUserMayReadTheFile() async throws {
        let page = try #require(Self.page)
        try await withFile { file in
            let store = try CookieStore(file: file)
            store.store(["a=1; Max-Age=3600"], setBy: page)
            try await store.flush()
            let path = file.path(percentEncoded: false)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // No temporary file is left.
            let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path())
            #expect(names == ["cookies"])
        }
    }

    @Test func concurrentChangesLeaveTheNewestCookiesInTheFile() async throws {
        let page = try #require(Self.page)
        try await withFile { file in
            let store = try CookieStore(file: file)
            for round in 0..<20 {
                DispatchQueue.concurrentPerform(iterations: 4) { index in
                    if index == round % 4 {
                        store.clear()
                    } else {
                        store.store(["\(index)=1; Max-Age=3600"], setBy: page)
                    }
                }
                try await store.flush()
                #expect(try CookieStore(file: file).cookies == store.cookies)
            }
        }
    }

    /// A power cut may leave an empty file.
    @Test func anEmptyFileHasNoCookies() async throws {
        try await withFile { file in
            try Data().write(to: file)
            #expect(try CookieStore(file: file).cookies.isEmpty)
        }
    }

    @Test(arguments: [0o644, 0o666, 0o602]) func onlyAFileThatNoOneElseMayWriteToIsRead(_ mode: mode_t) async throws {
        try await withFile { file in
            let path = file.path(percentEncoded: false)
            try Data("[]".utf8).write(to: file)
            #expect(chmod(path, mode) == 0)
            let store = try? CookieStore(file: file)
            #expect((store != nil) == (mode == 0o644))
            guard store != nil else { return }
            let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(permissions == 0o600)
        }
    }

    @Test func aLinkIsNotFollowed() async throws {
        try await withFile { file in
            let other = file.appendingPathExtension("json")
            try Data("[]".utf8).write(to: other)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
            let error = expectError(.unreadable) { try CookieStore(file: file) }
            #expect(error?.description.contains("link") == true)
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func theFileOfAnotherUserIsNotRead() async throws {
        try await withFile { file in
            try Data("[]".utf8).write(to: file)
            #expect(chown(file.path(percentEncoded: false), 12_345, 12_345) == 0)
            let error = expectError(.unreadable) { try CookieStore(file: file) }
            #expect(error?.description.contains("12345") == true)
        }
    }

    @Test func abandonedFilesAreRemoved() async throws {
        try await withFile { file in
            let folder = file.deletingLastPathComponent()
            let (old, new) = ("cookies.\(UUID().uuidString)", "cookies.\(UUID().uuidString)")
            for name in [old, new, "cookies.mine", "other.\(UUID().uuidString)"] {
                try Data("[]".utf8).write(to: folder.appending(path: name))
                guard name != new else { continue }
                let path = folder.appending(path: name).path(percentEncoded: false)
                let date = Date(timeIntervalSince1970: 1_000_000)
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
            }
            _ = try CookieStore(file: file)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            #expect(names.count == 3 && !names.contains(old) && names.contains(new))
        }
    }

    @Test(arguments: ["{}", "[1]", "not JSON"]) func aFileWithOtherContentsIsAnError(_ text: String) async throws {
        try await withFile { file in
            try Data(text.utf8).write(to: file)
            #expect(chmod(file.path(percentEncoded: false), 0o600) == 0)
            let error = expectError(.unreadable) { try CookieStore(file: file) }
            #expect(error?.subject?.hasSuffix("cookies") == true)
        }
    }

    @Test func aCookieThatWouldEndTheFieldIsIgnored() async throws {
        let page = try #require(Self.page)
        try await withFile { file in
            let store = try CookieStore(file: file)
            store.store(["a=1; Max-Age=3600", "b=2; Max-Age=3600"], setBy: page)
            try await store.flush()
            let text = try String(contentsOf: file, encoding: .utf8)
            try text.replacing("\"1\"", with: "\"1\\r\\nX-Evil: 2\"").write(
                to: file, atomically: false, encoding: .utf8)
            #expect(try CookieStore(file: file).cookies.map(\.name) == ["b"])
        }
    }

    @Test func aFileThatCannotBeWrittenIsReported() async throws {
        let page = try #require(Self.page)
        try await withFile { file in
            let store = try CookieStore(file: file.appending(path: "no/folder"))
            store.store(["a=1; Max-Age=3600"], setBy: page)
            for _ in 0..<2 {
                await expectError(.unwritable) { try await store.flush() }
            }
            // The cookies are still in memory, and the next flush writes them.
            try FileManager.default.createDirectory(
                at: file.appending(path: "no"), withIntermediateDirectories: true)
            try await store.flush()
            #expect(try CookieStore(file: file.appending(path: "no/folder")).cookies == store.cookies)
            #expect(store.cookies.count == 1)
        }
    }

    /// A pipeline reports cookies that cannot be written, and takes the report from no one else.
    @Test(arguments: [true, false]) func aPipelineReportsCookiesThatCannotBeWritten(_ isOverride: Bool) async throws {
        try await withFile { file in
            try await Fixture.withOrigin { origin in
                origin.serve("/a", response: .testImage.with(header: "Set-Cookie", value: "a=1; Max-Age=3600"))
                var downloads = DownloaderConfiguration.patient
                downloads.cookies = try CookieStore(file: file.appending(path: "no/folder"))
                var configuration = PipelineConfiguration()
                configuration.coders = ImageCoderRegistry(decoders: [GatedDecoder()])
                configuration.loaders = isOverride ? [] : [Downloader(downloads)]
                let pipeline = ImagePipeline(configuration)
                var request = ImageRequest(url: origin.url("/a"))
                request.http.usesCookies = true
                if isOverride { request.overrides = RequestOverrides(loader: Downloader(downloads)) }
                // The body is no image. Its response has the cookie all the same.
                await expectError(.notAnImage) { try await pipeline.image(for: request) }
                let error = await expectError(.unwritable) { try await pipeline.flush() }
                #expect(error?.subject?.hasSuffix("no/folder") == true)
                await expectError(.unwritable) { try await downloads.cookies.flush() }
            }
        }
    }

    @Test func theCookiesOfADownloaderPersist() async throws {
        try await withFile { file in
            try await Fixture.withOrigin { origin in
                origin.serve("/a", response: .testImage.with(header: "Set-Cookie", value: "a=1; Max-Age=3600"))
                var options = HTTPOptions()
                options.usesCookies = true
                for _ in 0..<2 {
                    var configuration = DownloaderConfiguration.patient
                    configuration.cookies = try CookieStore(file: file)
                    let downloader = Downloader(configuration)
                    _ = try await Fixture.load(.url(origin.url("/a")), downloader, options: options)
                    try await configuration.cookies.flush()
                }
                #expect(origin.requests.map { $0[header: "Cookie"] } == [nil, "a=1"])
            }
        }
    }
}
