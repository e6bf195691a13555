import Foundation
import Testing
import TintypeHTTP

@testable import TintypeServer

@Suite struct CacheRuleTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private static func source(_ control: String?, age: Double = 0, _ more: HTTPFields = [:]) -> SourceFreshness {
        var headers = more
        headers["Date"] = HTTPDate.text(now.addingTimeInterval(-age))
        headers["Cache-Control"] = control
        let received = now.addingTimeInterval(-age)
        let times = ExchangeTimes(sent: received, received: received)
        return SourceFreshness(StoredHead(status: 200, headers: headers, times: times), now: now)
    }

    private static func rule(
        _ source: SourceFreshness, _ limits: FreshnessLimits = FreshnessLimits(),
        change: (inout CacheRule.Inputs) -> Void = { _ in }
    ) -> CacheRule {
        var inputs = CacheRule.Inputs(source: source, limits: limits)
        change(&inputs)
        return CacheRule(inputs, now: now)
    }

    private static let stale = "stale-while-revalidate=86400, stale-if-error=86400"

    @Test(
        arguments: [
            (nil, 0, "public, max-age=3600, \(stale)"), (nil, 600, "public, max-age=3000, \(stale)"),
            (nil, 9999, "public, max-age=0, \(stale)"), ("max-age=100", 40, "public, max-age=60, \(stale)"),
            ("max-age=100", 200, "public, max-age=0, \(stale)"),
            ("max-age=10, s-maxage=50", 0, "public, max-age=50, must-revalidate"),
            ("max-age=100, must-revalidate", 0, "public, max-age=100, must-revalidate"),
            ("no-cache", 0, "public, max-age=0, must-revalidate"), ("no-store", 0, "no-store"),
            ("private, max-age=7", 0, "private, max-age=7, \(stale)"),
            ("max-age=99999999999", 0, "public, max-age=31536000, \(stale)"),
            (
                "max-age=5, stale-while-revalidate=6, stale-if-error=7", 0,
                "public, max-age=5, stale-while-revalidate=6, stale-if-error=7"
            ),
            ("max-age=5, stale-while-revalidate=0, stale-if-error=0", 0, "public, max-age=5"),
            ("max-age=x", 0, "public, max-age=0, \(stale)"),
        ] as [(String?, Double, String)])
    func theFreshnessLeftIsPassedOn(_ control: String?, _ age: Double, _ expected: String) {
        #expect(Self.rule(Self.source(control, age: age)).control == expected)
    }

    @Test func expiresCountsAsFreshness() {
        let expires = HTTPDate.text(Self.now.addingTimeInterval(50))
        #expect(Self.rule(Self.source(nil, age: 20, ["Expires": expires])).control.hasPrefix("public, max-age=50,"))
    }

    @Test func theLimitsOfAHostApply() {
        var limits = HostCacheLimits()
        limits.minimumByHost = ["cdn.example": 600]
        limits.standard.maximum = 7200
        let short = Self.source("max-age=1")
        #expect(Self.rule(short, limits.limits(for: "CDN.example")).control.hasPrefix("public, max-age=600,"))
        #expect(Self.rule(short, limits.limits(for: "a.example")).control.hasPrefix("public, max-age=1,"))
        #expect(Self.rule(short, limits.limits(for: nil)).control.hasPrefix("public, max-age=1,"))
        let long = Self.source("max-age=100000")
        #expect(Self.rule(long, limits.limits(for: "cdn.example")).control.hasPrefix("public, max-age=7200,"))
    }

    @Test func aVersionedSourceNeverChanges() {
        let rule = Self.rule(Self.source("max-age=1")) { ($0.isVersioned, $0.age) = (true, 50) }
        #expect(rule.control == "public, max-age=31536000, immutable" && rule.age == nil)
        #expect(Self.rule(Self.source("no-store")) { $0.isVersioned = true } == .noStore)
    }

    @Test func nothingIsFreshOrUsableAfterTheExpiryOfTheURL() {
        func control(in seconds: Double, _ source: SourceFreshness, isVersioned: Bool = false) -> String {
            Self.rule(source) {
                ($0.expiry, $0.isVersioned) = (Self.now.addingTimeInterval(seconds), isVersioned)
            }.control
        }
        #expect(control(in: 10, Self.source("max-age=100")) == "public, max-age=10")
        #expect(
            control(in: 110, Self.source("max-age=100"))
                == "public, max-age=100, stale-while-revalidate=10, stale-if-error=10")
        #expect(control(in: 10, Self.source("max-age=100"), isVersioned: true) == "public, max-age=10, immutable")
        #expect(control(in: -1, Self.source("max-age=100")) == "no-store")
        #expect(control(in: 1e300, Self.source("max-age=100")) == "public, max-age=100, \(Self.stale)")
    }

    @Test func aHitStatesItsAgeAndLeavesTheSameFreshness() {
        let rule = Self.rule(Self.source("max-age=100", age: 40)) { $0.age = 40.9 }
        #expect(rule.age == 40 && rule.control.hasPrefix("public, max-age=100,"))
    }

    @Test func aProvisionalRenditionIsNotStored() {
        #expect(Self.rule(.unstated) { $0.isProvisional = true } == .noStore)
    }
}
