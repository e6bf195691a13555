import Testing
import TintypeCore

@testable import TintypeRedis

@Suite struct RendezvousHashTests {
    private let names = (1...5).map { "cache\($0).example:6379" }
    private let keys = (0..<5000).map { "tt1/r/\($0 % 256)/\(SHA1Digest.hexadecimal(of: "\($0)"))" }

    /// The names of the servers for the keys.
    private func servers(_ names: [String]) -> [String] {
        let hash = RendezvousHash(names)
        return keys.map { names[hash.server(for: $0)] }
    }

    @Test func withoutAServerOnlyItsKeysMove() {
        let before = servers(names)
        for removed in names {
            let after = servers(names.filter { $0 != removed })
            for (old, new) in zip(before, after) { #expect(old == removed ? new != removed : new == old) }
        }
    }

    @Test func theKeysOfALostServerGoToAllOthers() {
        let after = servers(Array(names.dropFirst()))
        let moved = zip(servers(names), after).filter { $0.0 == names[0] }.map(\.1)
        for name in names.dropFirst() { #expect(moved.count { $0 == name } > moved.count / 6) }
    }

    @Test func theOrderOfTheServersDoesNotMatter() {
        #expect(servers(names) == servers(names.reversed()))
    }

    @Test func allServersGetTheirShare() {
        let chosen = servers(names)
        for name in names { #expect((850...1150).contains(chosen.count { $0 == name })) }
    }

    /// A change of these would move the keys of all running machines.
    @Test func theChoiceIsStable() {
        let hash = RendezvousHash(["a:1", "b:2", "c:3"])
        #expect(["x", "y", "z", "tt1/l/0", "tt1/l/1", ""].map(hash.server) == [1, 0, 2, 1, 0, 1])
    }

    @Test func oneServerHasAllKeys() {
        #expect(RendezvousHash(["a"]).server(for: "key") == 0 && RendezvousHash([]).server(for: "key") == 0)
    }
}
