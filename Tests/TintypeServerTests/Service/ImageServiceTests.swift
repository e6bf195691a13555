import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeServer

/// The way of a request through the server, from the raw target to the bytes of the response.
@Suite(.timeLimited) struct ImageServiceTests {
    private static let red = Pixel(red: 255, green: 0, blue: 0)
    private static let blue = Pixel(red: 0, green: 0, blue: 255)

    @Test func anImageIsResized() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let response = await fixture.get("rs:fit:40:40", "/a.png")
            #expect(response.status == 200 && response.fields["content-type"] == "image/png")
            let image = try response.image()
            #expect(image.size == PixelSize(width: 40, height: 20))
            #expect(image.pixels[2, 10] == Self.red && image.pixels[37, 10] == Self.blue)
        }
    }

    /// The sizes are those that imgproxy documents for the resizing types.
    @Test(arguments: [
        ("rs:fill:30:30", 30, 30), ("rs:force:10:50", 10, 50), ("rs:fit:400:400", 120, 60),
        ("rs:fit:240:240:1", 240, 120),
        ("c:20:10/rs:fit:100:100", 20, 10), ("rs:fit:40:40/ex:1", 40, 40), ("rot:90", 60, 120),
        ("rs:fit:40:40/pd:1:2:3:4", 46, 24), ("w:30/dpr:2", 60, 30), ("rs:fill-down:300:200", 90, 60),
    ])
    func theOptionsDecideTheSize(_ options: String, _ width: Int, _ height: Int) async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let response = await fixture.get(options, "/a.png")
            #expect(response.status == 200)
            #expect(try response.image().size == PixelSize(width: width, height: height))
        }
    }

    /// The marker of the frame tells (ITU-T T.81, table B.1).
    @Test(arguments: [(true, UInt8(0xC2)), (false, 0xC0)]) func theOperatorDecidesWhetherJPEGIsProgressive(
        _ isProgressive: Bool, _ marker: UInt8
    ) async throws {
        try await ServiceFixture.run({ $0.rendering.isProgressive = isProgressive }) { fixture in
            try fixture.servePicture("/a.png")
            let data = await fixture.get("f:jpg", "/a.png").body ?? Data()
            #expect(data.range(of: Data([0xFF, marker])) != nil)
        }
    }

    @Test func gravityDecidesWhichPartIsKept() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            for (gravity, color) in [("we", Self.red), ("ea", Self.blue)] {
                let image = try await fixture.get("rs:fill:20:60/g:\(gravity)", "/a.png").image()
                #expect(image.pixels[3, 30] == color && image.pixels[16, 30] == color)
            }
        }
    }

    @Test func aBorderIsTrimmedBeforeTheScale() async throws {
        try await ServiceFixture.run { fixture in
            let pixels = try PixelBuffer.drawn(PixelSize(width: 100, height: 100)) { x, y in
                (20..<60).contains(x) && (30..<50).contains(y) ? Self.red : Pixel(red: 255, green: 255, blue: 255)
            }
            let data = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
            fixture.origin.serve("/a.png", response: .image(data, type: "image/png"))
            let image = try await fixture.get("t:10/rs:fit:20:20", "/a.png").image()
            #expect(image.size == PixelSize(width: 20, height: 10))
            #expect(image.pixels[0, 0] == Self.red && image.pixels[19, 9] == Self.red)
        }
    }

    @Test func aFormatWithoutAlphaIsFlattenedOntoWhite() async throws {
        try await ServiceFixture.run { fixture in
            let data = try PNGEncoder().encode(
                PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0, alpha: 0), size: PixelSize(width: 8, height: 8)),
                as: .png, options: EncodeOptions())
            fixture.origin.serve("/a.png", response: .image(data, type: "image/png"))
            let response = await fixture.get("f:jpg", "/a.png")
            #expect(response.format == .jpeg)
            #expect(try response.image().pixels[4, 4].red > 250)
            #expect(try await fixture.get("f:jpg/bg:ff0000", "/a.png").image().pixels[4, 4].green < 5)
        }
    }

    // MARK: Caching

    @Test func aSecondRequestIsAnsweredFromMemory() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let first = await fixture.get("w:40", "/a.png")
            let second = await fixture.get("w:40", "/a.png")
            #expect(first.report.tier == nil && second.report.tier == .memory)
            #expect(first.body == second.body && first.fields["etag"] == second.fields["etag"])
            #expect(fixture.origin.requestCount() == 1)
            let same = await fixture.get("width:40/h:0", "/a.png")
            #expect(same.report.tier == .memory)
        }
    }

    @Test func aHundredEqualRequestsAreRenderedOnce() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<100 { group.addTask { await fixture.get("w:40", "/a.png").status } }
                for await status in group { #expect(status == 200) }
            }
            #expect(fixture.origin.requestCount() == 1)
        }
    }

    @Test func aClientThatHasTheImageIsToldSo() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let first = await fixture.get("w:40", "/a.png")
            let tag = try #require(first.fields["etag"])
            #expect(tag.hasPrefix("\""))
            let second = await fixture.get("w:40", "/a.png", ["If-None-Match": tag])
            #expect(second.status == 304 && second.body == nil && second.fields["etag"] == tag)
            let other = await fixture.get("w:41", "/a.png", ["If-None-Match": tag])
            #expect(other.status == 200)
        }
    }

    /// The wait for the source is a part of the time of a request.
    @Test func anImageIsNotMadeAfterTheTimeOfItsRequest() async throws {
        try await ServiceFixture.run({ $0.requestTimeout = .milliseconds(20) }) { fixture in
            let gate = OriginGate()
            try fixture.servePicture("/a.png", gate: gate)
            let answer = Task { await fixture.get("w:10", "/a.png") }
            await fixture.origin.waitForRequests(1)
            let end = TimeSource.system.uptime() + .milliseconds(20)
            while TimeSource.system.uptime() < end { await Task.yield() }
            gate.open()
            let response = await answer.value
            #expect(response.status == 503 && response.report.failure?.code == "deadline")
            #expect(fixture.service.finishedCount == 0)
        }
    }

    @Test func headHasTheFieldsOfGet() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png")
            let get = await fixture.get("w:40", "/a.png")
            let head = await fixture.get("w:40", "/a.png", method: "HEAD")
            #expect(head.body == nil && head.status == 200)
            let ignored: Set = ["age", "cache-control", "server-timing"]
            for field in get.fields.all where !ignored.contains(field.name.lowercased()) {
                #expect(head.fields[field.name] == field.value, "\(field.name)")
            }
        }
    }

    @Test func aChangedSourceHasOtherRenditions() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png", cache: "max-age=0")
            let first = await fixture.get("w:40", "/a.png")
            let blank = try PNGEncoder().encode(
                PixelBuffer.filled(Self.blue, size: PixelSize(width: 120, height: 60)), as: .png,
                options: EncodeOptions())
            fixture.origin.serve("/a.png", response: .image(blank, type: "image/png"))
            let second = await fixture.get("w:40", "/a.png")
            #expect(second.status == 200 && second.fields["etag"] != first.fields["etag"])
            #expect(try second.image().pixels[2, 10] == Self.blue)
        }
    }

    @Test func aRenditionOnDiskServesTheNextProcess() async throws {
        let folder = URL.temporaryDirectory.appending(path: "tintype-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for isFirst in [true, false] {
            let disk = DiskCache(directory: folder.appending(path: "renditions"))
            try await ServiceFixture.run({ $0.renditionCache = disk }) { fixture in
                try fixture.servePicture("/a.png")
                let response = await fixture.get("w:40", "/a.png")
                #expect(response.status == 200 && response.report.tier == (isFirst ? nil : .disk))
                try await fixture.service.flush()
            }
        }
    }

    // MARK: Negotiation

    @Test func acceptChoosesTheFormatAndVaryTellsCaches() async throws {
        try await ServiceFixture.run({ $0.negotiation = NegotiationSettings(formats: [.webp]) }) { fixture in
            try fixture.servePicture("/a.png")
            let plain = await fixture.get("w:40", "/a.png")
            let webp = await fixture.get("w:40", "/a.png", ["Accept": "image/webp,*/*"])
            #expect(plain.format == .png && webp.format == .webp)
            #expect(plain.fields["vary"] == "Accept" && webp.fields["vary"] == "Accept")
            #expect(plain.fields["etag"] != webp.fields["etag"])
            let named = await fixture.get("w:40/f:png", "/a.png", ["Accept": "image/webp"])
            #expect(named.format == .png && named.fields["vary"] == nil)
        }
    }

    // MARK: Failures

    @Test func aMissingSourceIsNotFoundAndRememberedForAWhile() async throws {
        try await ServiceFixture.run { fixture in
            let first = await fixture.get("w:40", "/missing.png")
            let second = await fixture.get("w:40", "/missing.png")
            #expect(first.status == 404 && second.status == 404)
            #expect(first.fields["content-type"] == "application/problem+json")
            #expect(fixture.origin.requestCount() == 1)
        }
    }

    @Test func whatIsNoImageIsUnprocessable() async throws {
        try await ServiceFixture.run { fixture in
            fixture.origin.serve("/a.png", response: .image(Data("no image".utf8), type: "image/png"))
            #expect(await fixture.get("w:40", "/a.png").status == 422)
        }
    }

    @Test(arguments: [
        ("/unsigned/nonsense:1/plain/http://127.0.0.1/a.png", 400), ("/", 404), ("/unsigned", 404),
        ("/unsigned/w:10/plain/", 400), ("/w:10/plain/http://127.0.0.1/a.png", 403),
        ("/unsigned/exp:1/plain/http://127.0.0.1/a.png", 410),
    ])
    func aBadTargetIsRefused(_ target: String, _ status: Int) async throws {
        try await ServiceFixture.run { fixture in
            let request = ServerRequest(method: "GET", target: target, id: "test")
            let response = await fixture.service.respond(to: request)
            #expect([status, 400].contains(response.status), "\(response.status)")
            #expect(fixture.origin.requestCount() == 0)
        }
    }

    @Test(arguments: ["file:///etc/hostname", "data://text/plain,x", "ftp://127.0.0.1/a.png", "local:///a.png"])
    func onlySourcesThatMayBeNamedAreLoaded(_ source: String) async throws {
        try await ServiceFixture.run { fixture in
            let target = "/unsigned/w:10/plain/\(source)"
            let response = await fixture.service.respond(to: ServerRequest(method: "GET", target: target, id: "test"))
            #expect(response.status == 403)
        }
    }

    @Test func aLocalSourceIsBelowItsFolder() async throws {
        let folder = URL.temporaryDirectory.appending(path: "tintype-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let root = folder.appending(path: "root")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let data = try PNGEncoder().encode(
            PixelBuffer.filled(Self.red, size: PixelSize(width: 8, height: 8)), as: .png, options: EncodeOptions())
        for file in [root.appending(path: "in.png"), folder.appending(path: "out.png")] { try data.write(to: file) }
        try FileManager.default.createSymbolicLink(
            at: root.appending(path: "link.png"), withDestinationURL: folder.appending(path: "out.png"))
        try await ServiceFixture.run({ $0.localRoot = root }) { fixture in
            let sources = [("in.png", 200), ("../out.png", 403), ("link.png", 403), ("%2e%2e/out.png", 403)]
            for (path, status) in sources {
                let target = "/unsigned/w:4/plain/local:///\(path.replacing("%", with: "%25"))"
                let request = ServerRequest(method: "GET", target: target, id: "test")
                #expect(await fixture.service.respond(to: request).status == status, "\(path)")
            }
        }
    }

    @Test func aPrivateSourceIsNotStored() async throws {
        try await ServiceFixture.run { fixture in
            try fixture.servePicture("/a.png", cache: "private, max-age=60")
            for _ in 0..<2 {
                let response = await fixture.get("w:40", "/a.png")
                #expect(response.status == 200 && response.report.tier == nil)
                #expect(response.fields["cache-control"]?.hasPrefix("private") == true)
            }
        }
    }

    @Test func aFullQueueIsTooManyRequests() async throws {
        let limits = AdmissionLimits(workers: 1, decodedBytes: 1, queueLength: 0)
        try await ServiceFixture.run({ $0.admission = limits }) { fixture in
            try fixture.servePicture("/a.png")
            var slot: AdmissionSlot? = try await fixture.service.admission.admit(bytes: 1, deadline: .seconds(1 << 40))
            let refused = await fixture.get("w:10", "/a.png")
            #expect(refused.status == 429 && refused.fields["retry-after"] != nil)
            withExtendedLifetime(slot) {}
            slot = nil
            #expect(await fixture.get("w:10", "/a.png").status == 200)
        }
    }

    @Test func otherMethodsAreNotAllowed() async throws {
        try await ServiceFixture.run { fixture in
            let response = await fixture.get("w:10", "/a.png", method: "POST")
            #expect(response.status == 405 && response.fields["allow"] != nil)
        }
    }
}
