import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Interrupted transfers on disk.
@Suite(.timeLimited) struct PartialStoreTests: InterruptedTransfers {
    /// RFC 9111, 5.2.2.5.
    @Test func aBodyThatMustNotBeStoredIsNotWritten() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let downloader = Downloader(configuration(folder))
                origin.serve("/secret", response: Self.cut.with(header: "Cache-Control", value: "no-store"))
                origin.serve("/asked", response: Self.cut)
                origin.serve("/b", response: Self.cut)
                let asked = HTTPSource(url: origin.url("/asked"), headers: ["Cache-Control": "no-store"])
                for source in [.url(origin.url("/secret")), .http(asked), ImageSource.url(origin.url("/b"))] {
                    await Fixture.expect(.truncatedBody) { try await Fixture.load(source, downloader) }
                }
                try await downloader.flush()
                #expect(files(folder).count == 1)
            }
        }
    }

    /// RFC 9111, 3: each redirect is a response of its own.
    @Test func aBodyBehindARedirectThatMustNotBeStoredIsNotWritten() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let downloader = Downloader(configuration(folder))
                let redirect = OriginResponse.redirect(to: "/cut")
                origin.serve("/secret", response: redirect.with(header: "Cache-Control", value: "no-store"))
                origin.serve("/public", response: redirect)
                origin.serve("/cut", response: Self.cut)
                for (path, count) in [("/secret", 0), ("/public", 1)] {
                    await Fixture.expect(.truncatedBody) { try await Fixture.load(.url(origin.url(path)), downloader) }
                    try await downloader.flush()
                    #expect(files(folder).count == count, "\(path)")
                }
            }
        }
    }

    /// Users whose requests differ only by what interceptors add share a file.
    @Test(arguments: [
        ("Cookie", "", true), ("Authorization", "", true), ("X-User", "X-User", true), ("X-User", "", false),
    ]) func aBodyOfAUserIsNotKeptByItsDate(_ field: String, _ vary: String, _ isOfUser: Bool) async throws {
        var cut = OriginResponse.testImage.setting(\.ending, to: .cut(after: 20_000))
            .with(header: "Last-Modified", value: "Tue, 14 Nov 2023 22:00:00 GMT")
            .with(header: "Date", value: "Tue, 14 Nov 2023 23:00:00 GMT")
        if !vary.isEmpty { cut = cut.with(header: "Vary", value: vary) }
        var options = HTTPOptions()
        options.interceptors = [DownloadModifier.headers([field: "a"])]
        for response in [cut, cut.with(header: "ETag", value: "\"1\"")] {
            let isTagged = response.headers.contains { $0.name == "ETag" }
            try await withFolder { folder in
                try await Fixture.withOrigin { origin in
                    origin.serve("/a", response: response)
                    let downloader = Downloader(configuration(folder))
                    await Fixture.expect(.truncatedBody) {
                        try await Fixture.load(.url(origin.url("/a")), downloader, options: options)
                    }
                    try await downloader.flush()
                    #expect(files(folder).isEmpty == (isOfUser && !isTagged))
                }
            }
        }
    }

    /// The file of a request without a user.
    @Test func aRequestOfAUserContinuesNoBodyByItsDate() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let dated = OriginResponse.testImage.with(
                    header: "Last-Modified", value: "Tue, 14 Nov 2023 22:00:00 GMT"
                )
                .with(header: "Date", value: "Tue, 14 Nov 2023 23:00:00 GMT")
                origin.serve("/a", response: dated.setting(\.ending, to: .cut(after: 20_000)))
                let (source, downloader) = (ImageSource.url(origin.url("/a")), Downloader(configuration(folder)))
                await Fixture.expect(.truncatedBody) { try await Fixture.load(source, downloader) }
                try await downloader.flush()
                #expect(files(folder).count == 1)
                origin.serve("/a", response: dated)
                var options = HTTPOptions()
                options.interceptors = [DownloadModifier.headers(["Cookie": "a"])]
                let data = try await Fixture.load(source, Downloader(configuration(folder)), options: options).data
                #expect(data == Fixture.body && origin.requests.allSatisfy { $0[header: "Range"] == nil })
            }
        }
    }

    @Test func anotherDownloaderResumesAnInterruptedTransfer() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let source = try await interruptedSource(origin, in: folder)
                let loaded = try await Fixture.load(source, Downloader(configuration(folder)))
                #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 20_000)
                #expect(files(folder).isEmpty)
            }
        }
    }

    @Test func aCancelledTransferIsSaved() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let silent = OriginResponse.testImage.with(header: "ETag", value: "\"1\"").setting(
                    \.ending, to: .silence(after: 20_000))
                serve(origin, first: [silent])
                let downloader = Downloader(configuration(folder))
                let source = ImageSource.url(origin.url("/a"))
                let download = await downloader.download(source, untilReceived: 20_000)
                download.cancel()
                await wait { !files(folder).isEmpty }
                let resumed = try await Fixture.load(source, downloader).metrics?.resumedBytes
                #expect(resumed == 20_000)
            }
        }
    }

    @Test func aDamagedFileIsNotUsed() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let source = try await interruptedSource(origin, in: folder)
                let file = folder.appending(path: try #require(files(folder).first))
                var data = try Data(contentsOf: file)
                data[data.count - 1] ^= 1
                try data.write(to: file)
                let loaded = try await Fixture.load(source, Downloader(configuration(folder)))
                #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 0)
            }
        }
    }

    @Test func theOldestFileIsRemovedBeyondTheBudget() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let downloader = Downloader(configuration(folder, budget: 45_000))
                var names: [String] = []
                for path in ["/1", "/2", "/3"] {
                    origin.serve(path, response: Self.cut)
                    await Fixture.expect(.truncatedBody) { try await Fixture.load(.url(origin.url(path)), downloader) }
                    try await downloader.flush()
                    let name = try #require(files(folder).first { !names.contains($0) })
                    // Files that are written at once may have equal dates.
                    try FileManager.default.setAttributes(
                        [.modificationDate: Date(timeIntervalSinceNow: Double(names.count) * 60 - 600)],
                        ofItemAtPath: folder.appending(path: name).path(percentEncoded: false))
                    names.append(name)
                }
                #expect(Set(files(folder)) == Set(names.dropFirst()))
                let sizes = try files(folder).map { try Data(contentsOf: folder.appending(path: $0)).count }
                #expect(sizes.reduce(0, +) <= 45_000)
            }
        }
    }

    @Test func aFileRevealsNothingOfItsRequest() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                origin.serve("/a", response: Self.cut)
                let source = ImageSource.http(
                    HTTPSource(url: origin.url("/a?token=secret"), headers: ["Authorization": "secret"]))
                let downloader = Downloader(configuration(folder))
                await Fixture.expect(.truncatedBody) { try await Fixture.load(source, downloader) }
                try await downloader.flush()
                let name = try #require(files(folder).first)
                let data = try Data(contentsOf: folder.appending(path: name))
                #expect(!name.contains("secret") && data.range(of: Data("secret".utf8)) == nil)
            }
        }
    }

    /// A killed process leaves what the folder holds at that moment.
    @Test func aKilledProcessLeavesWhatHadArrived() async throws {
        let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let response = OriginResponse.image(large, type: "image/png").with(header: "ETag", value: "\"1\"")
                origin.serve("/a", response: response.setting(\.ending, to: .silence(after: 2_500_000)))
                let source = ImageSource.url(origin.url("/a"))
                let download = await Downloader(configuration(folder, budget: 8 << 20))
                    .download(source, untilReceived: 2_500_000)
                await wait { !files(folder).isEmpty }
                let copy = folder.appending(path: "copy")
                var resumed = 0
                // The last step may not be on disk yet.
                while resumed < PartialJournal.step {
                    try? FileManager.default.removeItem(at: copy)
                    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
                    let name = try #require(files(folder).first)
                    try FileManager.default.copyItem(
                        at: folder.appending(path: name), to: copy.appending(path: name))
                    resumed = try PartialFile.decode(Data(contentsOf: copy.appending(path: name)))?.data.count ?? 0
                    await Task.yield()
                }
                serve(origin, first: [], body: large)
                let loaded = try await Fixture.load(
                    source, Downloader(configuration(copy, budget: 8 << 20)), limit: 8 << 20)
                #expect(loaded.data == large && loaded.metrics?.resumedBytes == resumed)
                #expect(files(copy).isEmpty)
                download.cancel()
            }
        }
    }

    @Test func aJournalIsValidUpToItsCount() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-journal-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let empty = PartialBody(
            urlDigest: "digest", validator: StrongValidator(value: "\"1\""), total: 9, data: Data())
        let file = folder.appending(path: "a")
        var journal = try PartialJournal(empty, as: "a", in: PartialFolder(FolderLocation(own: folder)))
        #expect(PartialFile.decode(try Data(contentsOf: file)) == nil)
        for count in 1...4 {
            journal = try journal.appending(Data([UInt8(count), UInt8(count)]))
            let partial = try #require(PartialFile.decode(try Data(contentsOf: file)))
            #expect(partial.data == Data((1...UInt8(count)).flatMap { [$0, $0] }) && partial.total == 9)
        }
        // Bytes beyond the count are ignored.
        try (Data(contentsOf: file) + Data([9, 9])).write(to: file)
        #expect(PartialFile.decode(try Data(contentsOf: file))?.data.count == 8)
    }

    /// Interrupts a transfer and returns what the folder has then.
    private func namesAfterAnInterruption(in folder: URL) async throws -> [String] {
        try await Fixture.withOrigin { origin in
            let downloader = Downloader(configuration(folder, budget: 30_000))
            origin.serve("/a", response: Self.cut)
            await Fixture.expect(.truncatedBody) { try await Fixture.load(.url(origin.url("/a")), downloader) }
            try await downloader.flush()
        }
        return names(folder)
    }

    private func write(
        _ name: String, in folder: URL, age: TimeInterval, _ beginning: String = "tintype-partial 1 "
    ) throws {
        let file = folder.appending(path: name)
        try (Data(beginning.utf8) + Data(count: 1_000)).write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path(percentEncoded: false))
    }

    @Test func onlyFilesOfTheStoreAreRemoved() async throws {
        let digest = String(repeating: "5", count: 64)
        let foreign = [".dat.nosync", "notes", "notes.new", String(repeating: "G", count: 64)]
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for name in foreign + [digest] { try write(name, in: folder, age: 30 * 86_400) }
            // A file with another content, and a folder.
            let others = ["7", "8"].map { String(repeating: $0, count: 64) }
            try write(others[0], in: folder, age: 30 * 86_400, "photo")
            try FileManager.default.createDirectory(
                at: folder.appending(path: others[1]), withIntermediateDirectories: true)
            // A file that a killed process left, and one that another process is writing.
            try write("\(digest).new", in: folder, age: 7_200)
            let growing = "\(String(repeating: "6", count: 64)).new"
            try write(growing, in: folder, age: 60)
            let names = try await namesAfterAnInterruption(in: folder)
            #expect(!names.contains(digest) && !names.contains("\(digest).new") && files(folder).count == 4)
            #expect(Set(foreign + others + [growing]).isSubset(of: names))
        }
    }

    /// Another user of a shared cache directory can put a link in place of the folder in it. The folder that it leads
    /// to can contain files of another store.
    @Test func aLinkInPlaceOfTheFolderIsNotFollowed() async throws {
        try await withFolder { folder in
            let (cache, target) = (folder.appending(path: "cache"), folder.appending(path: "target"))
            for url in [cache, target] {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            }
            try write(String(repeating: "5", count: 64), in: target, age: 30 * 86_400)
            try FileManager.default.createSymbolicLink(
                at: cache.appending(path: "partial"), withDestinationURL: target)
            try await Fixture.withOrigin { origin in
                for store in [
                    PartialStore(in: FolderLocation(named: cache)),
                    PartialStore(folder: cache.appending(path: "partial"), minimumByteCount: 1),
                ] {
                    var configuration = DownloaderConfiguration.patient
                    configuration.partials = store
                    let downloader = Downloader(configuration)
                    origin.serve("/a", response: Self.cut)
                    await Fixture.expect(.truncatedBody) {
                        try await Fixture.load(.url(origin.url("/a")), downloader)
                    }
                    try await downloader.flush()
                    await expectError(.unwritable) { try await store.removeAll() }
                    #expect(names(target).count == 1)
                }
            }
        }
    }

    @Test func flushWaitsForInterruptedTransfersAndRemovingAllRemovesThem() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let configuration = configuration(folder)
                let downloader = Downloader(configuration)
                let paths = (0..<20).map { "/\($0)" }
                for path in paths {
                    origin.serve(path, response: Self.cut)
                    await Fixture.expect(.truncatedBody) { try await Fixture.load(.url(origin.url(path)), downloader) }
                }
                try await downloader.flush()
                #expect(names(folder).count == 20 && files(folder).count == 20)
                try write("notes", in: folder, age: 0)
                let removed = try await #require(configuration.partials).removeAll()
                #expect(removed.count == 20 && removed.byteCount > 20 * 20_000)
                #expect(names(folder) == ["notes"])
            }
        }
    }

    // MARK: Names in memory

    /// Loads a source whose file another process has added. The downloader finds it only if it still has the name.
    private func expectNoFile(
        of source: ImageSource, in folder: URL, as name: String, _ copy: URL, _ downloader: Downloader
    )
        async throws
    {
        try FileManager.default.copyItem(at: copy, to: folder.appending(path: name))
        let loaded = try await Fixture.load(source, downloader)
        #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 0)
    }

    @Test func theNamesOfFilesBeyondTheBudgetAreForgotten() async throws {
        try await withFolder { folder in
            let store = folder.appending(path: "store")
            try await Fixture.withOrigin { origin in
                let downloader = Downloader(configuration(store, budget: 30_000))
                let source = ImageSource.url(origin.url("/a"))
                serve(origin, first: [Self.cut])
                await Fixture.expect(.truncatedBody) { try await Fixture.load(source, downloader) }
                try await downloader.flush()
                let name = try #require(files(store).first)
                let (file, copy) = (store.appending(path: name), folder.appending(path: "copy"))
                try FileManager.default.copyItem(at: file, to: copy)
                // Files that are written at once may have equal dates.
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -600)], ofItemAtPath: file.path())
                origin.serve("/b", response: Self.cut)
                await Fixture.expect(.truncatedBody) {
                    try await Fixture.load(.url(origin.url("/b")), downloader)
                }
                try await downloader.flush()
                #expect(files(store).count == 1 && files(store) != [name])
                try await expectNoFile(of: source, in: store, as: name, copy, downloader)
            }
        }
    }

    @Test func theNameOfAFileThatCannotBeWrittenIsForgotten() async throws {
        try await withFolder { folder in
            let (store, other) = (folder.appending(path: "store"), folder.appending(path: "other"))
            try await Fixture.withOrigin { origin in
                let source = try await interruptedSource(origin, in: other)
                let name = try #require(files(other).first)
                try FileManager.default.createDirectory(
                    at: store.appending(path: "\(name).new"), withIntermediateDirectories: true)
                serve(origin, first: [Self.cut])
                let downloader = Downloader(configuration(store))
                await Fixture.expect(.truncatedBody) { try await Fixture.load(source, downloader) }
                try await downloader.flush()
                #expect(names(store) == ["\(name).new"])
                try await expectNoFile(of: source, in: store, as: name, other.appending(path: name), downloader)
            }
        }
    }

    @Test func aLinkIsNotFollowed() async throws {
        try await withFolder { folder in
            let store = folder.appending(path: "store")
            try await Fixture.withOrigin { origin in
                let source = try await interruptedSource(origin, in: store)
                let name = try #require(files(store).first)
                #expect(try FileManager.default.contentsOfDirectory(atPath: store.path()) == [name])
                let (link, target) = (store.appending(path: name), folder.appending(path: "target"))
                try FileManager.default.moveItem(at: link, to: target)
                let size = try Data(contentsOf: target).count
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
                let loaded = try await Fixture.load(source, Downloader(configuration(store)))
                #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 0)
                #expect(try files(store).isEmpty && Data(contentsOf: target).count == size)
            }
        }
    }

    @Test func aFolderThatOthersMayWriteToIsNotUsed() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await Fixture.withOrigin { origin in
                let source = try await interruptedSource(origin, in: folder)
                #expect(chmod(folder.path(), 0o777) == 0)
                let loaded = try await Fixture.load(source, Downloader(configuration(folder)))
                #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 0)
                #expect(files(folder).count == 1)
            }
        }
    }

    @Test func aBodyBeyondTheBudgetIsNotWritten() async throws {
        let large = Data(count: 3_000_000)
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                origin.serve(
                    "/a",
                    response: .image(large, type: "image/png").with(header: "ETag", value: "\"1\"").setting(
                        \.ending, to: .cut(after: 2_900_000)))
                await Fixture.expect(.truncatedBody) {
                    try await Fixture.load(
                        .url(origin.url("/a")), Downloader(configuration(folder, budget: 2_000_000)), limit: 8 << 20)
                }
                #expect(files(folder).isEmpty)
            }
        }
    }
}
