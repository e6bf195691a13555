import Foundation
import HTTPTestSupport
import Testing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Cookies that persist.
@Suite(.timeLimit(.minutes(15))) struct CookieFileTests {
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
            store.take(["a=1; Max-Age=3600; Secure", "b=2", "c=3; Max-Age=3600; Path=/c"], from: page)
            try await store.flush()
            let again = try CookieStore(file: file)
            #expect(again.cookies == store.cookies.filter { $0.expires != nil } && again.cookies.count == 2)
            store.take(["a=; Max-Age=0"], from: page)
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
            store.take(["a=1; Max-Age=3600"], from: page)
            try await store.flush()
            let path = file.path(percentEncoded: false)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // No temporary file is left.
            let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path())
            #expect(names == ["cookies"])
        }
    }

    @Test(arguments: ["", "{}", "[1]", "not JSON"]) func aFileWithOtherContentsIsAnError(_ text: String) async throws {
        try await withFile { file in
            try Data(text.utf8).write(to: file)
            let error = #expect(throws: TintypeError.self) { try CookieStore(file: file) }
            #expect(error?.code == .unreadable && error?.subject?.hasSuffix("cookies") == true)
        }
    }

    @Test func aCookieThatWouldEndTheFieldIsIgnored() async throws {
        let page = try #require(Self.page)
        try await withFile { file in
            let store = try CookieStore(file: file)
            store.take(["a=1; Max-Age=3600", "b=2; Max-Age=3600"], from: page)
            try await store.flush()
            let text = try String(contentsOf: file, encoding: .utf8)
            try text.replacing("\"1\"", with: "\"1\\r\\nX-Evil: 2\"").write(to: file, atomically: true, encoding: .utf8)
            #expect(try CookieStore(file: file).cookies.map(\.name) == ["b"])
        }
    }

    @Test func aFileThatCannotBeWrittenIsReported() async throws {
        let page = try #require(Self.page)
        try await withFile { file in
            let store = try CookieStore(file: file.appending(path: "no/folder"))
            store.take(["a=1; Max-Age=3600"], from: page)
            await #expect(throws: TintypeError.self) { try await store.flush() }
            // Reported once; the cookies are still in memory.
            try await store.flush()
            #expect(store.cookies.count == 1)
        }
    }

    @Test func theCookiesOfADownloaderPersist() async throws {
        try await withFile { file in
            try await Fixture.withOrigin { origin in
                origin.serve("/a", .testImage.with(header: "Set-Cookie", "a=1; Max-Age=3600"))
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
