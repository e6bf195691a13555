import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

/// How `fetch` proves that an image is whole, and what it keeps of it: nothing but the bytes.
@Suite(.timeLimited) struct FetchVerificationTests {
    private let source = ImageSource.file("/a.jpg")

    @Test func theRequestAsksForVerifiedBytesWithoutPixels() {
        let request = FetchPlan(writesOriginal: true).request(for: source)
        #expect(request.rendition.decode.size == .noPixels)
        #expect(request.policy.caching.rendition == CacheRules(memory: .off, disk: .off))
        #expect(request.policy.caching.original == CacheRules(memory: .off) && request.policy.delivery.data == .always)
    }

    @Test func aThumbnailIsStoredAsBefore() {
        let plan = FetchPlan(thumbnail: PixelSize(width: 200, height: 100))
        let request = plan.request(for: source)
        #expect(request.rendition.decode.size == .fit(PixelSize(width: 200, height: 100)))
        #expect(request.policy.caching.rendition == CacheRules() && request.policy.delivery.data == .whenLoaded)
    }

    /// Every frame proves that an image is whole, not only the first one.
    @Test(arguments: [[], ["--strict"], ["--thumbnail", "9x9"]])
    func anAnimationWithADamagedFrameIsNeitherWrittenNorCached(_ options: [String]) async throws {
        try await withCommandFixture { fixture in
            let data = try CommandFixture.animationWithADamagedFrame()
            fixture.origin.serve("/damaged.png", response: .image(data, type: "image/png"))
            let (url, cache, output) = (fixture.url("/damaged.png"), fixture.path("cache"), fixture.path("out"))
            let run = try await CommandRun.tintype(["fetch", "--cache", cache, "-o", output, url] + options)
            #expect(run.status == 1 && run.error.contains("[undecodable, decode]"), "\(run.error)")
            let prefetch = try await CommandRun.tintype("prefetch", "--cache", cache, url)
            #expect(prefetch.status == 1 && prefetch.error.contains("[undecodable, decode]"), "\(prefetch.error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: output).isEmpty)
            let stats = try await CommandRun.tintype("cache", "stats", "--cache", cache, "--json")
            #expect(try stats.records.first?["count"] as? Int == 0)
        }
    }

    @Test func showAndInfoVerifyEveryFrameAndEveryImageOfAnIcon() async throws {
        try await withCommandFixture { fixture in
            for (name, data) in [
                ("damaged.png", try CommandFixture.animationWithADamagedFrame()),
                ("damaged.ico", try CommandFixture.iconWithADamagedImage()),
            ] {
                let path = try fixture.write(data, name)
                #expect(try await CommandRun.tintype("info", path).status == 0)
                for command in [["info", "--verify"], ["show"]] {
                    let run = try await CommandRun.tintype(command + [path])
                    #expect(run.status == 1 && run.error.contains("[undecodable, decode]"), "\(command): \(run.error)")
                }
            }
        }
    }

    /// A thumbnail of the first frame needs no other one.
    @Test func firstFrameIsForThumbnails() async throws {
        try await withCommandFixture { fixture in
            let path = try fixture.write(try CommandFixture.animationWithADamagedFrame(), "damaged.png")
            let alone = try await CommandRun.tintype("fetch", "--first-frame", path)
            #expect(alone.status == 64 && alone.error.contains("--first-frame needs --thumbnail"))
            let run = try await CommandRun.tintype("fetch", "--first-frame", "--thumbnail", "9x9", path)
            #expect(run.status == 0, "\(run.error)")
        }
    }

    @Test func theReportedSizeIsThatOfTheSource() async throws {
        try await withCommandFixture { fixture in
            let large = try CommandFixture.png(width: 300, height: 400)
            fixture.origin.serve("/large.png", response: .image(large, type: "image/png"))
            let url = fixture.url("/large.png")
            for options in [[], ["--output", fixture.path("a")], ["--output", fixture.path("b"), "--no-verify"]] {
                let run = try await CommandRun.tintype(["fetch", "--json", "--no-cache", url] + options)
                #expect(run.status == 0, "\(run.error)")
                #expect(try run.records.first?["width"] as? Int == 300)
                #expect(try run.records.first?["height"] as? Int == 400)
            }
            #expect(try Data(contentsOf: URL(filePath: fixture.path("b/large.png"))) == large)
        }
    }

    @Test(
        arguments: [
            ("/a.jpg", nil), ("/corrupt.png", nil), ("/missing", "badStatus"), ("/empty.png", "emptyBody"),
            ("/cut.png", "truncatedBody"), ("/html.png", "notAnImage"),
        ] as [(String, String?)])
    func withoutVerificationStatusLengthAndFormatAreChecked(_ path: String, _ code: String?) async throws {
        try await withCommandFixture { fixture in
            let (cache, output) = (fixture.path("cache"), fixture.path("out"))
            let run = try await CommandRun.tintype(
                "fetch", "--no-verify", "--cache", cache, "--output", output, fixture.url(path))
            let namesTheCode = code.map { run.error.contains($0) } ?? run.error.isEmpty
            #expect(run.status == (code == nil ? 0 : 1) && namesTheCode, "\(run.error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: output).count == (code == nil ? 1 : 0))
            let stats = try await CommandRun.tintype("cache", "stats", "--cache", cache, "--json")
            #expect(try stats.records.first?["count"] as? Int == 0)
        }
    }

    @Test(arguments: [
        [], ["--output", "out", "--partial"], ["--output", "out", "--thumbnail", "5x5"],
    ])
    func withoutVerificationNothingIsDecoded(_ options: [String]) async throws {
        let run = try await CommandRun.tintype(["fetch", "--no-verify", "http://127.0.0.1:1/a.jpg"] + options)
        #expect(run.status == 64 && run.error.contains("--no-verify"))
    }
}
