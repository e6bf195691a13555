import Foundation
import TestSupport
import Testing
import TintypeTesting

/// Tests the options of `fetch` and `prefetch` for freshness and tracing.
@Suite(.timeLimited) struct PolicyTests {
    private func source(_ run: CommandRun) throws -> String? { try run.records.first?["source"] as? String }

    @Test func cacheOnlyLoadsNothing() async throws {
        try await withCommandFixture { fixture in
            let (cache, url) = (fixture.path("cache"), fixture.url("/a.jpg"))
            let empty = try await CommandRun.tintype("fetch", "--cache-only", "--json", "--cache", cache, url)
            #expect(empty.status == 1 && empty.output.contains("notCached"))
            _ = try await CommandRun.tintype("fetch", "--cache", cache, url)
            let full = try await CommandRun.tintype("fetch", "--cache-only", "--json", "--cache", cache, url)
            #expect(try full.status == 0 && source(full) == "disk")
            #expect(fixture.origin.requestCount("/a.jpg") == 1)
        }
    }

    @Test func reloadIgnoresTheCache() async throws {
        try await withCommandFixture { fixture in
            let (cache, url) = (fixture.path("cache"), fixture.url("/a.jpg"))
            _ = try await CommandRun.tintype("fetch", "--cache", cache, url)
            let run = try await CommandRun.tintype("fetch", "--reload", "--json", "--cache", cache, url)
            #expect(try source(run) == "network")
            #expect(fixture.origin.requestCount("/a.jpg") == 2)
        }
    }

    @Test func refreshReplacesAnOlderImage() async throws {
        try await withCommandFixture { fixture in
            let (cache, url) = (fixture.path("cache"), fixture.url("/a.jpg"))
            _ = try await CommandRun.tintype("fetch", "--cache", cache, url)
            fixture.origin.serve(
                "/a.jpg", response: .image(try CommandFixture.jpeg(width: 30, height: 20), type: "image/jpeg"))
            let run = try await CommandRun.tintype("fetch", "--refresh", "--json", "--cache", cache, url)
            #expect(run.status == 0)
            #expect(try run.records.first?["width"] as? Int == 30)
            let cached = try await CommandRun.tintype("fetch", "--cache-only", "--json", "--cache", cache, url)
            #expect(try cached.records.first?["width"] as? Int == 30)
        }
    }

    @Test func aFailedRefreshUsesTheCachedImageAndWarns() async throws {
        try await withCommandFixture { fixture in
            let (cache, url) = (fixture.path("cache"), fixture.url("/a.jpg"))
            _ = try await CommandRun.tintype("fetch", "--cache", cache, url)
            for body in ["<html>", ""] {
                fixture.origin.serve("/a.jpg", response: .image(Data(body.utf8), type: "image/jpeg"))
                let run = try await CommandRun.tintype("fetch", "--refresh", "--json", "--cache", cache, url)
                #expect(try run.status == 0 && source(run) == "disk")
                #expect(run.output.contains("revalidationFailure"))
                #expect(run.error.contains("could not be refreshed") && run.error.split(separator: "\n").count == 1)
            }
        }
    }

    @Test func freshnessFlagsExcludeEachOther() async throws {
        let run = try await CommandRun.tintype("fetch", "--reload", "--cache-only", "x")
        #expect(run.status == 64)
    }

    // MARK: Trace

    @Test func theTraceHasEveryStageOfEveryLoad() async throws {
        try await withCommandFixture { fixture in
            let trace = fixture.path("trace.json")
            let run = try await CommandRun.tintype(
                "fetch", "--trace", trace, fixture.url("/a.jpg"), fixture.url("/missing"))
            #expect(run.status == 1)
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: trace)))
            let events = try #require((json as? [String: Any])?["traceEvents"] as? [[String: Any]])
            let names = Set(events.compactMap { $0["name"] as? String })
            #expect(names.isSuperset(of: ["a.jpg", "missing", "disk", "load", "decode"]))
        }
    }

    @Test func anUnwritableTraceIsAnError() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                "fetch", "--no-cache", "--trace", "/no/such/folder/t.json", fixture.url("/a.jpg"))
            #expect(run.status == 1 && run.error.contains("/no/such/folder/t.json"))
        }
    }

    // MARK: Prefetch

    @Test func prefetchStoresImagesInTheCache() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            let list = try fixture.write(
                Data("# two\n\(fixture.url("/a.jpg"))\n\(fixture.url("/b.png"))\n".utf8), "urls")
            let run = try await CommandRun.tintype("prefetch", "--cache", cache, "--from", list)
            #expect(run.status == 0 && run.output == "2 of 2 images are in the cache\n" && run.error.isEmpty)
            let fetch = try await CommandRun.tintype(
                "fetch", "--cache-only", "--json", "--cache", cache, fixture.url("/a.jpg"), fixture.url("/b.png"))
            #expect(try fetch.records.compactMap { $0["source"] as? String } == ["disk", "disk"])
            // Cached images are not loaded again.
            _ = try await CommandRun.tintype("prefetch", "--cache", cache, "--from", list)
            #expect(fixture.origin.requestCount("/a.jpg") == 1)
            _ = try await CommandRun.tintype("prefetch", "--reload", "--cache", cache, "--from", list)
            #expect(fixture.origin.requestCount("/a.jpg") == 2)
        }
    }

    @Test func prefetchReportsAndCountsFailures() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                "prefetch", "--json", "--cache", fixture.path("cache"), fixture.url("/a.jpg"), fixture.url("/missing"),
                fixture.url("/html.png"))
            #expect(run.status == 2)
            let record = try #require(try run.records.first)
            #expect(record["finished"] as? Int == 1 && record["failed"] as? Int == 2 && record["total"] as? Int == 3)
            #expect(run.error.split(separator: "\n").count == 2)
            #expect(run.error.contains("badStatus") && run.error.contains("notAnImage"))
        }
    }

    /// The cache stores neither files nor data URLs. A malformed line does not stop the others.
    @Test func prefetchRefusesWhatCannotBeCachedAndGoesOn() async throws {
        try await withCommandFixture { fixture in
            let file = try fixture.write(try CommandFixture.png(width: 4, height: 4), "a.png")
            let wrong = ["http://[::1/a.jpg", file, "file://\(file)", "data:image/png;base64,AAAA", ""]
            let cache = fixture.path("cache")
            let run = try await CommandRun.tintype(["prefetch", "--cache", cache] + wrong + [fixture.url("/a.jpg")])
            #expect(run.status == 5 && run.output == "1 of 6 images are in the cache, 5 failed\n", "\(run.error)")
            let errors = run.error.split(separator: "\n")
            #expect(errors.count == 5 && errors.allSatisfy { $0.contains("[invalidSource, request]") }, "\(run.error)")
            let stats = try await CommandRun.tintype("cache", "stats", "--cache", cache, "--json")
            #expect(try stats.records.first?["count"] as? Int == 1)
        }
    }

    @Test func prefetchWithoutAURLIsAUsageError() async throws {
        #expect(try await CommandRun.tintype("prefetch").status == 64)
        #expect(try await CommandRun.tintype("prefetch", "--concurrency", "0", "x").status == 64)
    }
}
