import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

@Suite(.timeLimited) struct CacheTests {
    @Test func everySubcommandWorksOnACache() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            func run(_ arguments: String...) async throws -> CommandRun {
                try await CommandRun.tintype(["cache"] + arguments + ["--cache", cache, "--json"])
            }
            _ = try await CommandRun.tintype("fetch", "--cache", cache, fixture.url("/a.jpg"), fixture.url("/b.png"))
            #expect(try await run("path").records.first?["path"] as? String == cache + "/")
            let stats = try #require(try await run("stats").records.first)
            #expect(stats["count"] as? Int == 2 && (stats["bytes"] as? Int ?? 0) > 0)
            let list = try await run("list").records
            #expect(Set(list.compactMap { $0["url"] as? String }) == [fixture.url("/a.jpg"), fixture.url("/b.png")])
            let file = try #require(try await run("path", fixture.url("/a.jpg")).records.first?["path"] as? String)
            #expect(FileManager.default.fileExists(atPath: file))
            #expect(try await run("verify").status == 0)
            try Data("x".utf8).write(to: URL(filePath: file))
            #expect(try await run("remove", fixture.url("/none.jpg")).records.first?["removed"] as? Int == 0)
            let verified = try await run("verify")
            #expect(verified.status == 1)
            #expect(try verified.records.first?["damaged"] as? [String] == [file])
            // Small images share a file.
            #expect(try await run("stats").records.first?["count"] as? Int == 0)
            #expect(!FileManager.default.fileExists(atPath: file))
            _ = try await CommandRun.tintype("fetch", "--cache", cache, fixture.url("/a.jpg"), fixture.url("/b.png"))
            #expect(try await run("remove", fixture.url("/a.jpg")).records.first?["removed"] as? Int == 1)
            #expect(try await run("stats").records.first?["count"] as? Int == 1)
            #expect(try await run("clear").records.first?["removed"] as? Int == 1)
        }
    }

    /// Entries of one URL under the rules of HTTP that differ by header fields.
    @Test func removeRemovesEveryVariant() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            _ = try await CommandRun.tintype("fetch", "--cache", cache, fixture.url("/a.jpg"))
            let disk = DiskCache(directory: URL(filePath: cache))
            let entry = try #require(disk.entry(for: CacheKey(source: fixture.url("/a.jpg"))))
            for number: UInt64 in [1, 15] {
                disk.store(entry, for: CacheKey(source: VariantName(number).identity(of: fixture.url("/a.jpg"))))
            }
            try await disk.flush()
            let list = try await CommandRun.tintype("cache", "list", "--cache", cache, "--json").records
            #expect(list.compactMap { $0["url"] as? String } == Array(repeating: fixture.url("/a.jpg"), count: 3))
            let removal = try await CommandRun.tintype(
                "cache", "remove", fixture.url("/a.jpg"), "--cache", cache, "--json")
            #expect(try removal.records.first?["removed"] as? Int == 3)
        }
    }

    /// Header fields and user names are part of the key, as digests.
    @Test func entriesWithFieldsAndUsersAreListedByTheirURL() async throws {
        try await withCommandFixture { fixture in
            let (cache, url) = (fixture.path("cache"), fixture.url("/a.jpg"))
            let user = url.replacing("http://", with: "http://me:secret@")
            for arguments in [[url], [url, "--header", "Accept-Language: de"], [user]] {
                #expect(try await CommandRun.tintype(["fetch", "--cache", cache] + arguments).status == 0)
            }
            func run(_ arguments: String...) async throws -> CommandRun {
                try await CommandRun.tintype(["cache"] + arguments + ["--cache", cache])
            }
            let list = try await run("list", "--json").records
            #expect(list.map { $0["url"] as? String } == [url, url, url])
            let variants = list.compactMap { $0["variant"] as? String }.map { $0.prefix { $0 != " " } }
            #expect(variants.sorted() == ["credential", "headers"])
            let lines = try await run("list").output
            #expect(
                lines.split(separator: "\n").allSatisfy { $0.contains(url) } && lines.contains("(headers "), "\(lines)")
            #expect(try await run("remove", "--json", user).records.first?["removed"] as? Int == 1)
            #expect(try await run("remove", "--json", url).records.first?["removed"] as? Int == 2)
        }
    }

    /// The sizes are those of the removed files, whatever other processes write meanwhile.
    @Test func removeReportsTheSizeOfWhatItRemoves() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            _ = try await CommandRun.tintype("fetch", "--cache", cache, fixture.url("/a.jpg"), fixture.url("/b.png"))
            let path = try await CommandRun.tintype("cache", "path", fixture.url("/a.jpg"), "--cache", cache).output
            let size = try Data(contentsOf: URL(filePath: String(path.dropLast()))).count
            let removed = try #require(
                try await CommandRun.tintype("cache", "remove", fixture.url("/a.jpg"), "--cache", cache, "--json")
                    .records.first)
            #expect(removed["removed"] as? Int == 1 && removed["bytes"] as? Int == (size + 4095) / 4096 * 4096)
        }
    }

    @Test func trimRemovesThumbnailsStoredAsPixelsToo() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            let thumbnails = ThumbnailCache(beside: DiskCache(directory: URL(filePath: cache)))
            let pixels = try PixelBuffer.filled(Pixel(red: 1, green: 2, blue: 3), size: PixelSize(width: 9, height: 9))
            thumbnails.store(
                Image(pixels: pixels, info: ImageInfo(format: .png, size: pixels.size)),
                for: CacheKey(source: "http://h/a.png", rendition: "fit(9x9)"), timeToLive: nil)
            try await thumbnails.flush()
            func count() async throws -> Int? {
                try await CommandRun.tintype("cache", "stats", "--cache", cache, "--json")
                    .records.first?["thumbnails"] as? Int
            }
            #expect(try await count() == 1)
            let run = try await CommandRun.tintype("cache", "trim", "--to", "0", "--cache", cache, "--json")
            #expect(try run.records.first?["removed"] as? Int == 1)
            #expect(try await count() == 0)
        }
    }

    @Test(arguments: [(nil, 500, 100), (1000, 500, 100), (550, 500, 50), (500, 500, 0), (0, 9, 0)])
    func thumbnailsHaveTheRoomThatIsLeft(_ total: Int?, _ used: Int, _ limit: Int) {
        #expect(Cache.Trim.thumbnailLimit(total, used, 100) == limit)
    }

    @Test(arguments: ["fetch", "convert"])
    func anInterruptedTransferIsSavedAndCleared(_ command: String) async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            fixture.origin.serve(
                "/large.png",
                response: .image(Data(count: 300_000), type: "image/png").with(header: "ETag", value: "\"1\"")
                    .setting(\.ending, to: .cut(after: 200_000)))
            let output = command == "convert" ? [fixture.path("out.png")] : []
            let run = try await CommandRun.tintype(
                [command, "--cache", cache, fixture.url("/large.png")] + output)
            #expect(run.status == 1 && run.error.contains("truncatedBody"))
            func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: "\(cache)/partial") }
            #expect(try files().map(\.count) == [64])
            let cleared = try await CommandRun.tintype("cache", "clear", "--json", "--cache", cache)
            #expect(try cleared.records.first?["removed"] as? Int == 1)
            #expect(try files().isEmpty)
        }
    }

    @Test func aLinkInPlaceOfAFolderIsAnErrorAndNotAnEmptyCache() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            _ = try await CommandRun.tintype("fetch", "--cache", cache, fixture.url("/a.jpg"))
            try FileManager.default.removeItem(atPath: "\(cache)/v2/entries")
            try FileManager.default.createSymbolicLink(atPath: "\(cache)/v2/entries", withDestinationPath: cache)
            for command in [["stats"], ["list"], ["remove", fixture.url("/a.jpg")], ["clear"], ["verify"], ["trim"]] {
                let run = try await CommandRun.tintype(["cache"] + command + ["--cache", cache])
                #expect(run.status == 1 && run.error.contains("it is a link or a file"), "\(command): \(run.error)")
            }
        }
    }

    @Test func theStandardDirectoryFollowsXDG() async throws {
        let run = try await CommandRun.tintype("cache", "path", environment: ["XDG_CACHE_HOME": "/tmp/somewhere"])
        #expect(run.output == "/tmp/somewhere/tintype/\n")
        let relative = try await CommandRun.tintype(
            "cache", "path", environment: ["XDG_CACHE_HOME": "relative", "HOME": "/home/me"])
        #expect(relative.output == "/home/me/.cache/tintype/\n")
    }

    @Test func inspectingAMissingCacheDoesNotCreateIt() async throws {
        try await withCommandFixture { fixture in
            for command in ["stats", "list", "clear", "trim", "verify"] {
                let run = try await CommandRun.tintype("cache", command, "--cache", fixture.path("none"))
                #expect(run.status == 0, "\(command): \(run.error)")
            }
            #expect(!FileManager.default.fileExists(atPath: fixture.path("none")))
        }
    }
}
