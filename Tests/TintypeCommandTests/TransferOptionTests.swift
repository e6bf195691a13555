import ArgumentParser
import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

/// Tests the options of `fetch` for HTTP.
@Suite(.timeLimited) struct TransferOptionTests {
    @Test func credentialsAreSentAndSeparateCacheEntries() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            let url = fixture.url("/a.jpg")
            for user in ["me:secret", "you:secret", "me:secret"] {
                let run = try await CommandRun.tintype("fetch", "--cache", cache, "--user", user, url)
                #expect(run.status == 0)
            }
            let sent = fixture.origin.requests.map { $0[header: "authorization"] }
            #expect(sent == ["Basic bWU6c2VjcmV0", "Basic eW91OnNlY3JldA=="])
        }
    }

    @Test func theCacheContainsNoSecrets() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            let secret = "Bearer 3c5ec7e7"
            let credential = fixture.url("/b.png").replacing("http://", with: "http://me:3c5ec7e7@")
            let run = try await CommandRun.tintype(
                "fetch", "--cache", cache, "--header", "Authorization: \(secret)", fixture.url("/a.jpg"), credential)
            #expect(run.status == 0)
            let files = try #require(FileManager.default.enumerator(atPath: cache))
            var count = 0
            for case let name as String in files {
                guard let data = FileManager.default.contents(atPath: "\(cache)/\(name)") else { continue }
                count += 1
                for text in ["3c5ec7e7", "M2M1ZWM3ZTc"] { #expect(data.range(of: Data(text.utf8)) == nil, "\(name)") }
            }
            #expect(count >= 2)
        }
    }

    @Test func aHeaderFieldDoesNotFollowARedirectToAnotherOrigin() async throws {
        try await withCommandFixture { other in
            try await withCommandFixture { fixture in
                fixture.origin.serve("/start", response: .redirect(to: other.url("/a.jpg")))
                let run = try await CommandRun.tintype(
                    "fetch", "--header", "X-Api-Key: secret", "--header", "Accept-Language: de", fixture.url("/start"))
                #expect(run.status == 0, "\(run.error)")
                #expect(fixture.origin.requests.last?[header: "x-api-key"] == "secret")
                #expect(other.origin.requests.last?[header: "x-api-key"] == nil)
                #expect(other.origin.requests.last?[header: "accept-language"] == "de")
            }
        }
    }

    @Test func cookiesAreSentOnlyOnRequest() async throws {
        for (arguments, expected) in [([], nil), (["--cookies"], "session=1")] as [([String], String?)] {
            try await withCommandFixture { fixture in
                fixture.origin.serve(
                    "/start", response: .redirect(to: "/a.jpg").with(header: "Set-Cookie", value: "session=1"))
                _ = try await CommandRun.tintype(["fetch", fixture.url("/start")] + arguments)
                #expect(fixture.origin.requests.last?[header: "cookie"] == expected)
            }
        }
    }

    @Test func aTransientFailureIsRetried() async throws {
        try await withCommandFixture { fixture in
            let jpeg = try CommandFixture.jpeg(width: 8, height: 8)
            fixture.origin.serve("/a", sequence: [.status(503), .image(jpeg, type: "image/jpeg")])
            let run = try await CommandRun.tintype("fetch", "--retry", "1", "--json", "--metrics", fixture.url("/a"))
            let metrics = try #require(try run.records.first?["metrics"] as? [String: any Sendable])
            #expect(metrics["attempts"] as? Int == 2)
        }
    }

    @Test func limitsOnBytesAndRedirectsAreEnforced() async throws {
        try await withCommandFixture { fixture in
            fixture.origin.serve("/b", response: .redirect(to: "/a.jpg"))
            let large = try await CommandRun.tintype("fetch", "--max-bytes", "100", fixture.url("/a.jpg"))
            #expect(large.status == 1 && large.error.contains("limitExceeded"))
            let far = try await CommandRun.tintype("fetch", "--max-redirects", "0", fixture.url("/b"))
            #expect(far.status == 1 && far.error.contains("302"))
        }
    }

    @Test func guardRefusesLocalSources() async throws {
        try await withCommandFixture { fixture in
            let port80 = fixture.url("/a.jpg").replacing(":\(fixture.origin.baseURL.port ?? 0)", with: "")
            let file = try fixture.write(try CommandFixture.png(width: 4, height: 4), "a.png")
            for source in [fixture.url("/a.jpg"), port80, file, "file://\(file)"] {
                let run = try await CommandRun.tintype("fetch", "--guard", source)
                #expect(
                    run.status == 1 && (run.error.contains("forbidden") || run.error.contains("refused")), "\(source)")
            }
            #expect(fixture.origin.requestCount() == 0)
        }
    }

    @Test(arguments: ["info", "convert", "show", "compare"]) func guardRefusesLocalFilesOfEverySubcommand(
        _ name: String
    ) async throws {
        try await withCommandFixture { fixture in
            let file = try fixture.write(try CommandFixture.png(width: 4, height: 4), "a.png")
            for source in [file, "file://\(file)", "FILE:\(file)", "file://localhost\(file)"] {
                let output = ["convert": [fixture.path("out.png")], "compare": [source]][name] ?? []
                let run = try await CommandRun.tintype([name, "--guard", source] + output)
                #expect(run.status == 1 && run.output.isEmpty, "\(source)")
                #expect(run.error.contains("[forbidden, load]"), "\(run.error)")
            }
            let overlay = try await CommandRun.tintype(
                "convert", "--guard", "--overlay", file, fixture.url("/a.jpg"), fixture.path("out.png"))
            #expect(overlay.status == 1 && overlay.error.contains("forbidden"))
        }
    }

    @Test func httpCacheFollowsTheCachingRules() async throws {
        try await withCommandFixture { fixture in
            let cache = fixture.path("cache")
            let jpeg = try CommandFixture.jpeg(width: 8, height: 8)
            let fresh = OriginResponse.image(jpeg, type: "image/jpeg").with(
                header: "Cache-Control", value: "max-age=3600")
            fixture.origin.serve("/fresh", response: fresh)
            fixture.origin.serve("/stale") { request in
                guard request[header: "if-none-match"] == nil else { return .status(304) }
                return .image(jpeg, type: "image/jpeg").with(header: "ETag", value: "\"1\"").with(
                    header: "Cache-Control", value: "no-cache")
            }
            for _ in 0..<2 {
                let run = try await CommandRun.tintype(
                    "fetch", "--http-cache", "--cache", cache, fixture.url("/fresh"), fixture.url("/stale"))
                #expect(run.status == 0, "\(run.error)")
            }
            #expect(fixture.origin.requestCount("/fresh") == 1 && fixture.origin.requestCount("/stale") == 2)
        }
    }

    @Test func maxTimeEndsATransferThatMakesProgress() async throws {
        try await withCommandFixture { fixture in
            let jpeg = try CommandFixture.jpeg(width: 120, height: 80)
            fixture.origin.serve("/slow", response: .image(jpeg, type: "image/jpeg").setting(\.bandwidth, to: 100))
            let run = try await CommandRun.tintype("fetch", "--max-time", "0.3", fixture.url("/slow"))
            #expect(run.status == 1 && run.error.contains("[timedOut, load]"), "\(run.error)")
        }
    }

    @Test(arguments: [
        (["--header", "A: 1", "--header", "a: 2"], ["a": "1, 2"]),
        (["--header", "Cookie: a=1", "--header", "cookie: b=2"], ["cookie": "a=1; b=2"]),
        (["--user", "me:secret"], ["authorization": "Basic bWU6c2VjcmV0"]),
        (["--user", "me:secret", "--header", "authorization: Bearer x"], ["authorization": "Bearer x"]),
        (["--header", "A: b\tc"], ["a": "b\tc"]),
    ])
    func fieldsWithOneNameAreOneField(_ arguments: [String], _ fields: [String: String]) throws {
        #expect(try TransferOptions.parse(arguments).fields == fields)
    }

    @Test(arguments: [([], true), (["--http1"], false)])
    func http1TurnsHTTP2Off(_ arguments: [String], _ allowsHTTP2: Bool) throws {
        #expect(try TransferOptions.parse(arguments).configuration.allowsHTTP2 == allowsHTTP2)
    }

    @Test(arguments: [("2kB", 60_000), ("0", 0), ("999999999GB", .max)])
    func minRateIsAnAverageOver30Seconds(_ argument: String, _ byteCount: Int) throws {
        let options = try TransferOptions.parse(["--min-rate", argument])
        #expect(options.configuration.minimumRate == MinimumRate(byteCount: byteCount, interval: .seconds(30)))
    }

    @Test(arguments: [([], nil), (["--max-time", "7"], Duration.seconds(7))])
    func limitRateReplacesTheDefaultTotalTime(_ arguments: [String], _ time: Duration?) throws {
        let options = try TransferOptions.parse(["--limit-rate", "2kB"] + arguments)
        #expect(options.configuration.maximumBytesPerSecond == 2000 && options.configuration.totalTimeout == time)
        #expect(try TransferOptions.parse([]).configuration.totalTimeout == .seconds(900))
        #expect(throws: (any Error).self) { try TransferOptions.parse(["--limit-rate", "0"]) }
    }

    @Test func aLimitedTransferIsComplete() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                "fetch", "--json", "--limit-rate", "50kB", fixture.url("/a.jpg"), fixture.url("/b.png"))
            let count = try run.records.count
            #expect(run.status == 0 && count == 2, "\(run.error)")
        }
    }

    @Test func metricsHaveTheTimesOfTheConnection() throws {
        var metrics = TransferMetrics()
        (metrics.nameLookup, metrics.connecting) = (.milliseconds(1), .milliseconds(2))
        metrics.handshake = .milliseconds(3)
        let record = MetricsRecord(metrics)
        #expect(record.line.contains("name 1 ms, connecting 2 ms, handshake 3 ms, first byte"))
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(record)) as? [String: Any]
        #expect(json?["handshake"] as? Double == 3 && json?["connecting"] as? Double == 2)
    }

    @Test func metricsAreALineOfTextOrAJSONObject() async throws {
        try await withCommandFixture { fixture in
            let human = try await CommandRun.tintype("fetch", "--metrics", fixture.url("/a.jpg"))
            let line = try #require(human.output.split(separator: "\n").last)
            #expect(line.contains("first byte") && line.contains("on the wire") && line.contains("http/1.1"))
            let json = try await CommandRun.tintype("fetch", "--metrics", "--json", fixture.url("/a.jpg"))
            let metrics = try #require(try json.records.first?["metrics"] as? [String: any Sendable])
            #expect(metrics["httpVersion"] as? String == "http/1.1" && metrics["status"] as? Int == 200)
            let plain = try await CommandRun.tintype("fetch", "--json", fixture.url("/a.jpg"))
            #expect(try plain.records.first?["metrics"] == nil)
        }
    }

    @Test func aProxyIsUsed() async throws {
        let proxy = try await Origin.start()
        let url = proxy.baseURL.absoluteString
        await proxy.stop()
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype("fetch", "--proxy", url, fixture.url("/a.jpg"))
            #expect(run.status == 1 && run.error.contains("unreachable"))
            let environment = ["http_proxy": url]
            let fromEnvironment = try await CommandRun.tintype(
                ["fetch", fixture.url("/a.jpg")], environment: environment)
            #expect(fromEnvironment.status == 1)
            let direct = try await CommandRun.tintype(
                ["fetch", "--proxy", "", fixture.url("/a.jpg")], environment: environment)
            #expect(direct.status == 0)
        }
    }

    /// The cache may have what a run without `--guard` has stored.
    @Test func guardRefusesCachedImagesOfLocalServers() async throws {
        try await withCommandFixture { fixture in
            let (url, cache) = (fixture.url("/a.jpg"), fixture.path("cache"))
            #expect(try await CommandRun.tintype("fetch", "--cache", cache, url).status == 0)
            for arguments in [["fetch"], ["fetch", "--refresh"], ["fetch", "--cache-only"], ["info"]] {
                let run = try await CommandRun.tintype(arguments + ["--guard", "--cache", cache, url])
                #expect(run.status == 1 && run.output.isEmpty && run.error.contains("[forbidden, load]"), "\(run)")
            }
        }
    }

    @Test func aProxyThatCannotBeUsedIsNotIgnored() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                ["fetch", fixture.url("/a.jpg")], environment: ["http_proxy": "socks4://127.0.0.1:9", "no_proxy": ""])
            #expect(run.status == 1 && run.error.contains("unsupported proxy") && fixture.origin.requestCount() == 0)
        }
    }

    /// A proxy resolves names itself, so the guard could not check them.
    @Test func guardUsesNoProxyOfTheEnvironment() throws {
        func proxy(_ arguments: String...) throws -> ProxySetting {
            try TransferOptions.parse(arguments).configuration.proxy
        }
        #expect(try proxy() == .environment)
        #expect(try proxy("--guard") == .direct)
        #expect(try proxy("--guard", "--proxy", "x.org:1") == .server(ProxyServer(host: "x.org", port: 1)))
    }

    @Test func passwordsInURLsAreNotPrinted() async throws {
        try await withCommandFixture { fixture in
            let url = fixture.url("/a.jpg").replacing("http://", with: "http://me:secret@")
            for arguments in [["fetch"], ["fetch", "--json"], ["info"], ["info", "--json"]] {
                let run = try await CommandRun.tintype(arguments + ["--no-cache", url])
                #expect(run.status == 0 && run.output.contains("/a.jpg"), "\(run)")
                #expect(!(run.output + run.error).contains("secret"), "\(run)")
            }
        }
    }

    /// The reader of warnings may end before the run.
    @Test func aClosedStandardErrorDoesNotEndTheRun() async throws {
        try await withCommandFixture { fixture in
            // Opening a pipe waits for its other end.
            let script = "mkfifo $2; (: < $2) & exec 2> $2; wait; tintype fetch --timeout 3600 $1 $3"
            let run = try await CommandRun.shell(
                script, [fixture.url("/missing"), fixture.path("a"), fixture.url("/a.jpg")])
            #expect(run.status == 1 && run.output.contains("/a.jpg"), "\(run)")
        }
    }

    @Test func insecureSkipsVerificationForTheNamedHostOnly() async throws {
        let origin = try await Origin.start(try TestCertificate.make())
        origin.serve("/a.jpg", response: .image(try CommandFixture.jpeg(width: 8, height: 8), type: "image/jpeg"))
        let url = origin.url("/a.jpg").absoluteString
        for (arguments, isAccepted) in [([], false), (["127.0.0.1"], true), (["localhost"], false)]
            as [([String], Bool)]
        {
            let run = try await CommandRun.tintype(["fetch"] + arguments.flatMap { ["--insecure", $0] } + [url])
            #expect((run.status == 0) == isAccepted && run.error.contains("not trusted") != isAccepted, "\(arguments)")
        }
        await origin.stop()
    }

    @Test(arguments: [
        ["--insecure", "https://example.org"], ["--insecure", "example.org:8443"], ["--insecure", ""],
        ["--header", "no colon"], ["--header", "A: b\r\nC: d"], ["--header", "A: b\u{7F}"], ["--max-bytes", "0"],
        ["--user", ":secret"], ["--retry", "-1"], ["--max-redirects", "101"], ["--max-bytes", "many"],
        ["--proxy", "socks4://x"], ["--max-time", "0"], ["--max-time", "1e9"], ["--max-time", "nan"],
        ["--min-rate", "slow"], ["--min-rate", "-1"],
        ["--http-cache", "--reload"],
    ]) func wrongArgumentsAreAUsageError(_ arguments: [String]) async throws {
        let run = try await CommandRun.tintype(["fetch"] + arguments + ["http://127.0.0.1/"])
        #expect(run.status == 64 && run.error.contains("Usage"))
    }
}
