import Dispatch
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Lookups of host names that take for ever.
@Suite(.timeLimit(.minutes(15))) struct HostLookupsTests {
    /// A resolver that answers for `ok` at once, and for every other host when the test lets it.
    private final class Resolver: Sendable {
        let hosts: Shared<[String]>
        private let lookups: HostLookups
        private let answers: DispatchSemaphore

        init(threads: Int) throws {
            let address = try #require(IPAddress("192.0.2.1"))
            let (hosts, answers) = (Shared<[String]>([]), DispatchSemaphore(value: 0))
            (self.hosts, self.answers) = (hosts, answers)
            lookups = HostLookups(threads: threads) { host throws(TintypeError) in
                hosts.withLock { $0.append(host) }
                if host != "ok" { answers.wait() }
                return [address]
            }
        }

        func answer(_ count: Int = 1) { for _ in 0..<count { answers.signal() } }

        func addresses(of host: String, within limit: Duration = .seconds(600)) async throws -> [IPAddress] {
            try await lookups.addresses(of: host, within: limit, .system, at: .normal)
        }

        /// The code of the error of a lookup; `nil` if it succeeds.
        func failure(of host: String, within limit: Duration) async -> TintypeError.Code? {
            do {
                _ = try await addresses(of: host, within: limit)
                return nil
            } catch {
                return (error as? TintypeError)?.code
            }
        }
    }

    @Test func aHostThatNeverAnswersHoldsOneThread() async throws {
        let resolver = try Resolver(threads: 2)
        for _ in 0..<5 { #expect(await resolver.failure(of: "silent", within: .zero) == .timedOut) }
        #expect(try await resolver.addresses(of: "ok").count == 1)
        resolver.answer()
    }

    @Test func callersShareALookup() async throws {
        let resolver = try Resolver(threads: 2)
        let first = Task { try await resolver.addresses(of: "a") }
        while resolver.hosts.now.isEmpty { await Task.yield() }
        #expect(await resolver.failure(of: "a", within: .zero) == .timedOut)
        #expect(try await resolver.addresses(of: "ok").count == 1)
        #expect(resolver.hosts.now == ["a", "ok"])
        resolver.answer()
        #expect(try await first.value.count == 1)
    }

    @Test func aLookupThatHasEndedIsNotRepeatedFromMemory() async throws {
        let resolver = try Resolver(threads: 1)
        for _ in 0..<2 { #expect(try await resolver.addresses(of: "ok").count == 1) }
        #expect(resolver.hosts.now == ["ok", "ok"])
    }

    @Test func oneLookupTooManyFailsAtOnce() async throws {
        let resolver = try Resolver(threads: 1)
        for number in 0..<HostLookups.maximumCount {
            #expect(await resolver.failure(of: "\(number)", within: .zero) == .timedOut)
        }
        #expect(await resolver.failure(of: "ok", within: .seconds(600)) == .unreachable)
        resolver.answer(HostLookups.maximumCount)
        while await resolver.failure(of: "ok", within: .seconds(600)) == .unreachable { await Task.yield() }
        #expect(resolver.hosts.now.count == HostLookups.maximumCount + 1)
    }
}
