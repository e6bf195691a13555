import Foundation
import TestSupport
import Testing
import TintypeHTTP

@testable import TintypeServer

/// Responses that are used again in the same second.
@Suite(.timeLimited) struct RecentResponsesTests {
    private static let key = RecentResponses.Key(target: "/_/plain/a", accept: "image/webp")

    private static func response(_ status: Int) -> ServiceResponse {
        ServiceResponse(ServerResponse(status: status), ServiceReport())
    }

    @Test func aResponseIsKeptUntilTheSecondEnds() {
        var recent = RecentResponses()
        recent.keep(Self.response(200), for: Self.key, at: 100)
        #expect(recent.response(for: Self.key, at: 100)?.status == 200)
        #expect(recent.response(for: Self.key, at: 101) == nil)
        #expect(recent.response(for: Self.key, at: 99) == nil)
        recent.keep(Self.response(203), for: RecentResponses.Key(target: "/b", accept: ""), at: 101)
        #expect(recent.response(for: Self.key, at: 100) == nil && recent.response(for: Self.key, at: 101) == nil)
        recent.keep(Self.response(200), for: Self.key, at: 100)
        #expect(recent.response(for: Self.key, at: 100) == nil && recent.response(for: Self.key, at: 101) == nil)
    }

    @Test func aPurgeForgetsAll() {
        var recent = RecentResponses()
        recent.keep(Self.response(200), for: Self.key, at: 100)
        let count = recent.purgeCount
        recent.purge()
        #expect(recent.response(for: Self.key, at: 100) == nil && recent.purgeCount != count)
    }

    @Test func theNumberOfResponsesIsLimited() {
        var recent = RecentResponses()
        for number in 0..<2000 {
            recent.keep(Self.response(200), for: RecentResponses.Key(target: "/\(number)", accept: ""), at: 1)
        }
        #expect(recent.response(for: RecentResponses.Key(target: "/1023", accept: ""), at: 1) != nil)
        #expect(recent.response(for: RecentResponses.Key(target: "/1024", accept: ""), at: 1) == nil)
    }

    @Test(arguments: [
        "If-None-Match", "If-Modified-Since", "Range", "If-Range", "Origin", "Authorization", "Save-Data", "Width",
        "Sec-CH-DPR", "Cache-Control", "X-Anything",
    ])
    func aFieldThatMayChangeTheResponseHasNoKey(_ name: String) {
        let fields = HTTPFields([(name: "Host", value: "a"), (name: name, value: "b")])
        #expect(RecentResponses.Key(ServerRequest(method: "GET", target: "/a", fields: fields, id: "")) == nil)
    }

    @Test func theKeyHasTheTargetAndWhatTheClientAccepts() {
        func key(_ method: String, _ accept: String) -> RecentResponses.Key? {
            let fields = HTTPFields([
                (name: "Host", value: "a"), (name: "User-Agent", value: "b"), (name: "ACCEPT", value: accept),
            ])
            return RecentResponses.Key(ServerRequest(method: method, target: "/a", fields: fields, id: ""))
        }
        #expect(key("GET", "image/*") == RecentResponses.Key(target: "/a", accept: "image/*"))
        #expect(key("GET", "image/*") != key("GET", "image/webp"))
        #expect(key("HEAD", "image/*") == nil)
    }

    @Test func anImageFromMemoryIsSentAgain() async throws {
        try await ServiceFixture.run({ $0.isDevelopment = false }) { fixture in
            try fixture.servePicture("/a.png")
            let made = await fixture.get("rs:fit:40:40", "/a.png")
            let first = await fixture.get("rs:fit:40:40", "/a.png")
            let second = await fixture.get("rs:fit:40:40", "/a.png")
            #expect(made.report.tier == nil && first.report.tier == .memory && second.report.tier == .memory)
            #expect(first.body == made.body && second.body == made.body)
            #expect(second.fields["etag"] == first.fields["etag"])
        }
    }
}
