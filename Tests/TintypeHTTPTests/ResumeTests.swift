import Foundation
import HTTPTestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

@Suite struct PartialBodyTests {
    private static let partial = PartialBody(
        urlDigest: "p", validator: StrongValidator(value: "\"1\""), total: 100, data: Data(repeating: 7, count: 40))

    struct Case: Sendable {
        var status = 206
        var fields: HTTPFields
        let meaning: PartialBody.Meaning
    }

    static let cases: [Case] = [
        Case(fields: ["Content-Range": "bytes 40-99/100", "ETag": "\"1\""], meaning: .rest),
        Case(fields: ["Content-Range": "bytes 40-99/*", "ETag": "\"1\""], meaning: .rest),
        Case(fields: ["Content-Range": "bytes 40-99/100", "ETag": "\"1\"", "Content-Length": "60"], meaning: .rest),
        // Another length, start, end, total or tag; no tag, no range, several ranges, a content coding.
        Case(
            fields: ["Content-Range": "bytes 40-99/100", "ETag": "\"1\"", "Content-Length": "61"], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 41-99/100", "ETag": "\"1\""], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 40-98/*", "ETag": "\"1\""], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 40-98/100", "ETag": "\"1\""], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 40-100/101", "ETag": "\"1\""], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 40-99/100", "ETag": "\"2\""], meaning: .unusable),
        Case(fields: ["Content-Range": "bytes 40-99/100"], meaning: .unusable),
        Case(fields: ["ETag": "\"1\""], meaning: .unusable),
        Case(fields: ["Content-Type": "multipart/byteranges; boundary=x", "ETag": "\"1\""], meaning: .unusable),
        Case(
            fields: ["Content-Range": "bytes 40-99/100", "ETag": "\"1\"", "Content-Encoding": "gzip"],
            meaning: .unusable
        ),
        Case(status: 200, fields: ["ETag": "\"2\""], meaning: .whole),
        Case(status: 416, fields: ["Content-Range": "bytes */100"], meaning: .unusable),
        Case(status: 404, fields: [:], meaning: .whole),
    ]

    @Test(arguments: cases) func theResponseToARangeRequestIsChecked(_ example: Case) {
        let response = DownloadResponse(url: URL(filePath: "/"), status: example.status, headers: example.fields)
        #expect(Self.partial.meaning(of: response) == example.meaning)
    }

    /// If no response tells the total, a range may end before the body does.
    @Test(arguments: [("bytes 40-99/*", PartialBody.Meaning.unusable), ("bytes 40-99/100", .rest)])
    func aRangeWithoutATotalMayBeIncomplete(_ range: String, _ meaning: PartialBody.Meaning) {
        let partial = PartialBody(
            urlDigest: "p", validator: Self.partial.validator, total: nil, data: Self.partial.data)
        let response = DownloadResponse(
            url: URL(filePath: "/"), status: 206, headers: ["Content-Range": range, "ETag": "\"1\""])
        #expect(partial.meaning(of: response) == meaning)
    }

    @Test(arguments: [
        ("bytes 0-9/10", true), ("bytes 0-9/*", true), ("BYTES 5-5/6", true), ("bytes 9-0/10", false),
        ("bytes 0-10/10", false),
        ("bytes */10", false), ("bytes -5/10", false), ("items 0-9/10", false), ("", false),
        ("bytes 0-99999999999999999999/*", false), ("bytes 0-9", false), ("bytes +0-9/10", false),
        ("bytes 0-+9/10", false), ("bytes 0-9/+10", false),
        ("bytes 0-9223372036854775807/*", false), ("bytes 0-9223372036854775806/9223372036854775807", true),
    ]) func contentRangesAreParsed(_ text: String, _ isRead: Bool) {
        #expect((ContentRange(text) != nil) == isRead)
    }

    static let validators: [(HTTPFields, Bool)] = [
        (["ETag": "\"1\""], true), (["ETag": "W/\"1\""], false), ([:], false),
        (["Last-Modified": "Tue, 14 Nov 2023 22:00:00 GMT", "Date": "Tue, 14 Nov 2023 22:01:00 GMT"], true),
        (["Last-Modified": "Tue, 14 Nov 2023 22:00:00 GMT", "Date": "Tue, 14 Nov 2023 22:00:59 GMT"], false),
        (["Last-Modified": "Tue, 14 Nov 2023 22:00:00 GMT"], false),
    ]

    /// RFC 9110, 8.8.1 and 8.8.2.2.
    @Test(arguments: validators) func onlyStrongValidatorsCount(_ fields: HTTPFields, _ isStrong: Bool) {
        #expect((StrongValidator(fields) != nil) == isStrong)
    }

    @Test func aFileIsDecodedAndDamageIsDetected() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-partial-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try PartialJournal(
            Self.partial.empty, as: "a", in: PartialFolder(making: FolderLocation(own: folder))
        ).appending(Self.partial.data)
        let file = try Data(contentsOf: folder.appending(path: "a"))
        #expect(PartialFile.decode(file) == Self.partial)
        for place in file.indices {
            var damaged = file
            damaged[place] ^= 1
            #expect(PartialFile.decode(damaged) == nil)
        }
        for count in 0..<file.count { #expect(PartialFile.decode(file.prefix(count)) == nil) }
    }
}

@Suite(.timeLimit(.minutes(15))) struct ResumeTests {
    /// Serves ranges of an image with an entity tag, after some other responses.
    private func serve(
        _ origin: Origin, first: [OriginResponse], tag: String = "\"1\"", body: Data = Fixture.body
    ) {
        let left = Shared(first[...])
        origin.serve("/a") { request in
            if let response = left.withLock({ $0.popFirst() }) { return response }
            return Self.answer(request, tag, body)
        }
    }

    private static func answer(_ request: OriginRequest, _ tag: String, _ body: Data) -> OriginResponse {
        let response = OriginResponse.image(body, type: "image/png").with(header: "ETag", tag)
        guard let range = request[header: "range"], request[header: "if-range"] == tag,
            let start = Int(range.dropFirst("bytes=".count).dropLast())
        else { return response }
        return response.with(\.status, 206).with(\.body, Data(body[start...]))
            .with(header: "Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)")
    }

    private static let cut = OriginResponse.testImage.with(header: "ETag", "\"1\"").with(\.ending, .cut(after: 20_000))

    private func retrying() -> DownloaderConfiguration {
        var configuration = DownloaderConfiguration.patient
        configuration.retry = RetryPolicy(maximumAttempts: 3)
        configuration.clock = Fixture.clock(Shared([]))
        return configuration
    }

    @Test func theNextAttemptRequestsTheRest() async throws {
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [Self.cut])
            let loaded = try await load("/a")
            #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 20_000)
            #expect(loaded.metrics?.wireBytes == 30_000)
            let request = try #require(origin.requests.last)
            #expect(request[header: "range"] == "bytes=20000-" && request[header: "if-range"] == "\"1\"")
        }
    }

    @Test func aChangedImageIsLoadedAgain() async throws {
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [Self.cut], tag: "\"2\"")
            let loaded = try await load("/a")
            #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 0)
        }
    }

    @Test func anUnsatisfiableRangeIsRequestedAsAWhole() async throws {
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [Self.cut, .status(416).with(header: "Content-Range", "bytes */20000")])
            let data = try await load("/a").data
            #expect(data == Fixture.body)
            #expect(origin.requestCount() == 3 && origin.requests.last?[header: "range"] == nil)
        }
    }

    @Test func aWrongRangeIsNotAppended() async throws {
        let wrong = OriginResponse.testImage.with(\.status, 206).with(header: "ETag", "\"1\"")
            .with(header: "Content-Range", "bytes 0-49999/50000")
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [Self.cut, wrong])
            let data = try await load("/a").data
            #expect(data == Fixture.body)
        }
    }

    /// The number of bytes before the range and that of the range overflow when they are added.
    @Test(arguments: ["9223372036854775807/*", "9223372036854775806/9223372036854775807"])
    func aRangeUpToTheLargestNumberDoesNotEndTheProcess(_ end: String) async throws {
        let last = try #require(Int(end.prefix { $0 != "/" }))
        try await Fixture.withOrigin(retrying()) { origin, load in
            origin.serve("/a") { request in
                let isFirst = origin.requestCount() == 0
                guard let range = request[header: "range"], let start = Int(range.dropFirst(6).dropLast()) else {
                    return isFirst ? Self.cut.with(\.framing, .chunked(size: 1000)) : .testImage
                }
                return .testImage.with(\.status, 206).with(header: "ETag", "\"1\"")
                    .with(header: "Content-Range", "bytes \(start)-\(end)")
                    .with(\.framing, .declared(last - start + 1))
            }
            if end.hasSuffix("*") {
                let data = try await load("/a").data
                #expect(data == Fixture.body && origin.requestCount() == 3)
            } else {
                await Fixture.expect(.limitExceeded) { try await load("/a") }
            }
        }
    }

    @Test func aWeakEntityTagIsNotResumed() async throws {
        let weak = OriginResponse.testImage.with(header: "ETag", "W/\"1\"").with(\.ending, .cut(after: 20_000))
        try await Fixture.withOrigin(retrying()) { origin, load in
            serve(origin, first: [weak])
            _ = try await load("/a")
            #expect(origin.requests.allSatisfy { $0[header: "range"] == nil })
        }
    }

    @Test func anUnrequestedPartialResponseIsAnError() async throws {
        try await Fixture.withOrigin { origin, load in
            origin.serve("/a", .testImage.with(\.status, 206).with(header: "Content-Range", "bytes 0-49999/90000"))
            await Fixture.expect(.badStatus) { try await load("/a") }
        }
    }

    // MARK: On disk

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-partial-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private func configuration(_ folder: URL, budget: Int = 1 << 20) -> DownloaderConfiguration {
        var configuration = DownloaderConfiguration.patient
        configuration.partials = PartialStore(folder: folder, maximumByteCount: budget, minimumByteCount: 1)
        return configuration
    }

    private func names(_ folder: URL) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    }

    private func files(_ folder: URL) -> [String] {
        // Names are digests of 64 digits. A file that is being written has another name.
        names(folder).filter { $0.count == 64 }
    }

    /// Waits for work in the background.
    private func wait(until condition: () -> Bool) async { while !condition() { await Task.yield() } }

    /// Returns a source whose first transfer was interrupted, after its bytes are in `folder`.
    private func interruptedSource(_ origin: Origin, in folder: URL) async -> ImageSource {
        serve(origin, first: [Self.cut])
        let source = ImageSource.url(origin.url("/a"))
        await Fixture.expect(.truncatedBody) { try await Fixture.load(source, Downloader(configuration(folder))) }
        await wait { !files(folder).isEmpty }
        return source
    }

    /// RFC 9111, 5.2.2.5.
    @Test func aBodyThatMustNotBeStoredIsNotWritten() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let downloader = Downloader(configuration(folder))
                origin.serve("/secret", Self.cut.with(header: "Cache-Control", "no-store"))
                origin.serve("/asked", Self.cut)
                origin.serve("/b", Self.cut)
                let asked = HTTPSource(url: origin.url("/asked"), headers: ["Cache-Control": "no-store"])
                for source in [.url(origin.url("/secret")), .http(asked), ImageSource.url(origin.url("/b"))] {
                    await Fixture.expect(.truncatedBody) { try await Fixture.load(source, downloader) }
                }
                await wait { !files(folder).isEmpty }
                #expect(files(folder).count == 1)
            }
        }
    }

    @Test func anotherDownloaderResumesAnInterruptedTransfer() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let source = await interruptedSource(origin, in: folder)
                let loaded = try await Fixture.load(source, Downloader(configuration(folder)))
                #expect(loaded.data == Fixture.body && loaded.metrics?.resumedBytes == 20_000)
                #expect(files(folder).isEmpty)
            }
        }
    }

    @Test func aCancelledTransferIsSaved() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                let silent = OriginResponse.testImage.with(header: "ETag", "\"1\"").with(
                    \.ending, .silence(after: 20_000))
                serve(origin, first: [silent])
                let downloader = Downloader(configuration(folder))
                let source = ImageSource.url(origin.url("/a"))
                let download = downloader.download(source)
                await wait { download.progress.received == 20_000 }
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
                let source = await interruptedSource(origin, in: folder)
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
                    origin.serve(path, Self.cut)
                    await Fixture.expect(.truncatedBody) { try await Fixture.load(.url(origin.url(path)), downloader) }
                    await wait { !Set(files(folder)).isSubset(of: names) }
                    let name = try #require(files(folder).first { !names.contains($0) })
                    // Files that are written at once may have equal dates.
                    try FileManager.default.setAttributes(
                        [.modificationDate: Date(timeIntervalSinceNow: Double(names.count) * 60 - 600)],
                        ofItemAtPath: folder.appending(path: name).path(percentEncoded: false))
                    names.append(name)
                }
                await wait { files(folder).count == 2 }
                #expect(Set(files(folder)) == Set(names.dropFirst()))
                let sizes = try files(folder).map { try Data(contentsOf: folder.appending(path: $0)).count }
                #expect(sizes.reduce(0, +) <= 45_000)
            }
        }
    }

    @Test func aFileRevealsNothingOfItsRequest() async throws {
        try await withFolder { folder in
            try await Fixture.withOrigin { origin in
                origin.serve("/a", Self.cut)
                let source = ImageSource.http(
                    HTTPSource(url: origin.url("/a?token=secret"), headers: ["Authorization": "secret"]))
                await Fixture.expect(.truncatedBody) {
                    try await Fixture.load(source, Downloader(configuration(folder)))
                }
                await wait { !files(folder).isEmpty }
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
                let response = OriginResponse.image(large, type: "image/png").with(header: "ETag", "\"1\"")
                origin.serve("/a", response.with(\.ending, .silence(after: 2_500_000)))
                let source = ImageSource.url(origin.url("/a"))
                let download = Downloader(configuration(folder, budget: 8 << 20)).download(source)
                await wait { download.progress.received == 2_500_000 && !files(folder).isEmpty }
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
            urlDigest: "place", validator: StrongValidator(value: "\"1\""), total: 9, data: Data())
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
    private func namesAfterAnInterruption(in folder: URL, until condition: ([String]) -> Bool) async throws -> [String]
    {
        try await Fixture.withOrigin { origin in
            origin.serve("/a", Self.cut)
            await Fixture.expect(.truncatedBody) {
                try await Fixture.load(.url(origin.url("/a")), Downloader(configuration(folder, budget: 30_000)))
            }
            await wait { condition(names(folder)) }
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
            // What a killed process leaves, and what another one is writing.
            try write("\(digest).new", in: folder, age: 7_200)
            let growing = "\(String(repeating: "6", count: 64)).new"
            try write(growing, in: folder, age: 60)
            let names = try await namesAfterAnInterruption(in: folder) { names in
                !names.contains(digest) && !names.contains("\(digest).new") && files(folder).count == 4
            }
            #expect(Set(foreign + others + [growing]).isSubset(of: names))
        }
    }

    /// Another user of a shared cache directory can put a link in place of the folder in it. The folder that it leads to
    /// can contain files of another store.
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
                    origin.serve("/a", Self.cut)
                    await Fixture.expect(.truncatedBody) {
                        try await Fixture.load(.url(origin.url("/a")), downloader)
                    }
                    await downloader.flush()
                    await #expect(throws: TintypeError.self) { try await store.removeAll() }
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
                    origin.serve(path, Self.cut)
                    await Fixture.expect(.truncatedBody) { try await Fixture.load(.url(origin.url(path)), downloader) }
                }
                await downloader.flush()
                #expect(names(folder).count == 20 && files(folder).count == 20)
                try write("notes", in: folder, age: 0)
                let removed = try await #require(configuration.partials).removeAll()
                #expect(removed.count == 20 && removed.byteCount > 20 * 20_000)
                #expect(names(folder) == ["notes"])
            }
        }
    }

    @Test func aLinkIsNotFollowed() async throws {
        try await withFolder { folder in
            let store = folder.appending(path: "store")
            try await Fixture.withOrigin { origin in
                let source = await interruptedSource(origin, in: store)
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
                let source = await interruptedSource(origin, in: folder)
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
                    .image(large, type: "image/png").with(header: "ETag", "\"1\"").with(
                        \.ending, .cut(after: 2_900_000)))
                await Fixture.expect(.truncatedBody) {
                    try await Fixture.load(
                        .url(origin.url("/a")), Downloader(configuration(folder, budget: 2_000_000)), limit: 8 << 20)
                }
                #expect(files(folder).isEmpty)
            }
        }
    }
}
