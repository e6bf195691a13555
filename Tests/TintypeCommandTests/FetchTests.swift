import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@Suite(.timeLimited) struct FetchTests {
    @Test func jsonHasOneObjectPerLineForEachURL() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype("fetch", "--json", fixture.url("/a.jpg"), fixture.url("/b.png"))
            #expect(run.status == 0 && run.error.isEmpty)
            let records = try run.records
            #expect(records.count == 2)
            let jpeg = try #require(records.first { $0["format"] as? String == "jpeg" })
            #expect(jpeg["url"] as? String == fixture.url("/a.jpg"))
            #expect(jpeg["source"] as? String == "network")
            #expect(jpeg["width"] as? Int == 120 && jpeg["height"] as? Int == 80)
            #expect(jpeg["frameCount"] as? Int == 1)
            #expect(jpeg["bytes"] as? Int == (try CommandFixture.jpeg(width: 120, height: 80).count))
            #expect(jpeg["milliseconds"] is Double || jpeg["milliseconds"] is Int)
        }
    }

    @Test func aRepeatedURLIsLoadedOnceAndReportedAsOftenAsGiven() async throws {
        try await withCommandFixture { fixture in
            let url = fixture.url("/a.jpg")
            let run = try await CommandRun.tintype(
                "fetch", "--json", "--no-cache", url, url, fixture.url("/b.png"), url)
            #expect(try run.records.filter { $0["url"] as? String == url }.count == 3)
            #expect(fixture.origin.requestCount("/a.jpg") == 1)
        }
    }

    @Test func aFailureDoesNotStopTheOtherLoads() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype("fetch", "--json", fixture.url("/missing"), fixture.url("/a.jpg"))
            #expect(run.status == 1)
            let records = try run.records
            let error = try #require(records.compactMap { $0["error"] as? [String: any Sendable] }.first)
            #expect(error["code"] as? String == "badStatus")
            #expect((error["message"] as? String)?.contains("404") == true)
            #expect(records.contains { $0["source"] as? String == "network" })
            #expect(run.error.split(separator: "\n").count == 1)
        }
    }

    @Test(arguments: [
        ("/missing", "badStatus"), ("/empty.png", "emptyBody"), ("/cut.png", "truncatedBody"),
        ("/html.png", "notAnImage"), ("/corrupt.png", "undecodable"),
    ])
    func badInputIsOneLineOfErrorAndIsNotCached(_ path: String, _ code: String) async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            let run = try await CommandRun.tintype("fetch", "--cache", cache, fixture.url(path))
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.error.split(separator: "\n").count == 1)
            #expect(run.error.contains(fixture.url(path)) && run.error.contains(code))
            let stats = try await CommandRun.tintype("cache", "stats", "--cache", cache, "--json")
            #expect(try stats.records.first?["count"] as? Int == 0)
        }
    }

    @Test func anUnreachableHostAndAMissingFileAreErrors() async throws {
        let origin = try await Origin.start()
        let url = origin.url("/a").absoluteString
        await origin.stop()
        let run = try await CommandRun.tintype("fetch", "--json", url, "/no/such/file.png", "nonsense:x")
        #expect(run.status == 3)
        let codes = try run.records.compactMap { ($0["error"] as? [String: any Sendable])?["code"] as? String }
        #expect(Set(codes) == ["unreachable", "notFound", "invalidSource"])
    }

    @Test func aSilentServerTimesOut() async throws {
        try await withCommandFixture { fixture in
            fixture.origin.serve("/never", response: .status(200).setting(\.ending, to: .never))
            let run = try await CommandRun.tintype("fetch", "--timeout", "0.2", fixture.url("/never"))
            #expect(run.status == 1 && run.error.contains("timedOut"))
        }
    }

    @Test func theSecondRunComesFromDisk() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            for source in ["network", "disk"] {
                let run = try await CommandRun.tintype("fetch", "--json", "--cache", cache, fixture.url("/a.jpg"))
                #expect(try run.records.first?["source"] as? String == source)
            }
            #expect(fixture.origin.requestCount() == 1)
        }
    }

    @Test func noCacheStoresNothing() async throws {
        try await withCommandFixture { fixture in
            for _ in 0..<2 {
                let run = try await CommandRun.tintype("fetch", "--json", "--no-cache", fixture.url("/a.jpg"))
                #expect(try run.records.first?["source"] as? String == "network")
            }
            #expect(fixture.origin.requestCount() == 2)
        }
    }

    @Test func thumbnailsAreDecodedToSizeAndNeverLarger() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            for (size, width, height) in [("30x30", 30, 20), ("999x999", 120, 80)] {
                for _ in 0..<2 {
                    let run = try await CommandRun.tintype(
                        "fetch", "--json", "--cache", cache, "--thumbnail", size, fixture.url("/a.jpg"))
                    #expect(try run.records.first?["width"] as? Int == width)
                    #expect(try run.records.first?["height"] as? Int == height)
                }
            }
            #expect(fixture.origin.requestCount() == 1)
        }
    }

    @Test func outputWritesTheOriginalBytes() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                "fetch", "--quiet", "--thumbnail", "5x5", "--output", fixture.path("out"), fixture.url("/a.jpg"),
                fixture.url("/b.png"))
            #expect(run.status == 0 && run.output.isEmpty && run.error.isEmpty)
            let written = try Data(contentsOf: URL(filePath: fixture.path("out/a.jpg")))
            #expect(written == (try CommandFixture.jpeg(width: 120, height: 80)))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: fixture.path("out")).sorted() == ["a.jpg", "b.png"])
        }
    }

    @Test func fileNamesFromURLsStayInTheDirectory() async throws {
        try await withCommandFixture { fixture in
            let data = try CommandFixture.jpeg(width: 8, height: 8)
            for path in ["/..%2f..%2fevil", "/x/.hidden", "/y/photo.jpg", "/z/photo.jpg"] {
                fixture.origin.serve(path.removingPercentEncoding ?? path, response: .image(data, type: "image/jpeg"))
            }
            let base = fixture.origin.baseURL.absoluteString
            let run = try await CommandRun.tintype(
                "fetch", "--output", fixture.path("out"), "\(base)/..%2f..%2fevil", "\(base)/x/.hidden",
                "\(base)/y/photo.jpg", "\(base)/z/photo.jpg")
            #expect(run.status == 0, "\(run.error)")
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.path("out")).sorted()
            #expect(names == ["_.._evil.jpg", "hidden.jpg", "photo-2.jpg", "photo.jpg"])
        }
    }

    @Test func listsComeFromAFileOrStandardInput() async throws {
        try await withCommandFixture { fixture in
            let list = "# images\n\n  \(fixture.url("/a.jpg"))\n\(fixture.url("/b.png"))\n"
            let path = try fixture.write(Data(list.utf8), "list.txt")
            #expect(try await CommandRun.tintype("fetch", "--json", "--from", path).records.count == 2)
            #expect(try await CommandRun.tintype("fetch", "--json", "--from", "-", input: list).records.count == 2)
        }
    }

    @Test func headerFieldsAreSent() async throws {
        try await withCommandFixture { fixture in
            _ = try await CommandRun.tintype(
                "fetch", "--header", "X-One: 1", "--header", "Cookie: a=b", fixture.url("/a.jpg"))
            let request = try #require(fixture.origin.requests.first)
            #expect(request[header: "x-one"] == "1" && request[header: "Cookie"] == "a=b")
        }
    }

    @Test func concurrencyLimitsTheTransfers() async throws {
        try await withCommandFixture { fixture in
            let data = try CommandFixture.jpeg(width: 8, height: 8)
            let arrivals = Locked<[ContinuousClock.Instant]>([])
            let urls = (0..<6).map { number in
                fixture.origin.serve("/\(number)") { _ in
                    arrivals.withLock { $0.append(.now) }
                    return .image(data, type: "image/jpeg").setting(\.latency, to: .milliseconds(10))
                }
                return fixture.url("/\(number)")
            }
            let list = urls.joined(separator: "\n")
            let run = try await CommandRun.tintype("fetch", "--json", "--concurrency", "1", "--from", "-", input: list)
            #expect(try run.records.count == 6)
            // Each request arrives after the response to the one before it, which is sent after its latency.
            let instants = arrivals.withLock { $0 }
            #expect(zip(instants, instants.dropFirst()).allSatisfy { $0.duration(to: $1) >= .milliseconds(10) })
        }
    }

    /// The first image arrives last if they are loaded at once.
    @Test(arguments: [["--jobs", "1"], ["--jobs", "1", "-o", "OUT"], ["--concurrency", "1"]])
    func aSingleJobKeepsTheOrderOfTheInputs(_ options: [String]) async throws {
        try await withCommandFixture { fixture in
            let data = try CommandFixture.jpeg(width: 8, height: 8)
            let urls = (0..<8).map { number in
                let latency = Duration.milliseconds(number == 0 ? 60 : 0)
                fixture.origin.serve(
                    "/\(number)", response: .image(data, type: "image/jpeg").setting(\.latency, to: latency))
                return fixture.url("/\(number)")
            }
            let options = options.map { $0 == "OUT" ? fixture.path("out") : $0 }
            let run = try await CommandRun.tintype(["fetch", "--json"] + options + urls)
            #expect(run.status == 0, "\(run.error)")
            #expect(try run.records.map { $0["url"] as? String ?? $0["input"] as? String } == urls)
        }
    }

    @Test(arguments: ["/dev/null/cache", "FILE"]) func anUnwritableCacheIsReportedAndImagesAreDelivered(
        _ cache: String
    ) async throws {
        try await withCommandFixture { fixture in
            let path = cache == "FILE" ? try fixture.write(Data(), "file") : cache
            let run = try await CommandRun.tintype("fetch", "--json", "--cache", path, fixture.url("/a.jpg"))
            #expect(run.status == 0)
            #expect(try run.records.first?["source"] as? String == "network")
            #expect(run.error.split(separator: "\n").count == 1)
            #expect(run.error.hasPrefix("tintype: the cache was not written: ") && run.error.contains(path))
            // The cache is the purpose of this one.
            #expect(try await CommandRun.tintype("prefetch", "--cache", path, fixture.url("/a.jpg")).status == 1)
        }
    }

    @Test func anUnwritableOutputIsAnError() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype("fetch", "--output", "/dev/null/out", fixture.url("/a.jpg"))
            #expect(run.status == 1 && run.error.contains("unwritable"))
        }
    }

    @Test(arguments: [
        ["fetch"], ["fetch", "--cache", "a", "--no-cache", "b"], ["fetch", "--thumbnail", "0x5", "b"],
        ["fetch", "--concurrency", "0", "b"], ["fetch", "--header", "no colon", "b"],
        ["fetch", "--timeout", "nan", "b"],
    ])
    func wrongArgumentsAreAUsageError(_ arguments: [String]) async throws {
        let run = try await CommandRun.tintype(arguments)
        #expect(run.status == 64 && run.error.contains("Usage"))
    }
}
