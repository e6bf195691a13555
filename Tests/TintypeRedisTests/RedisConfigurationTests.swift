import Foundation
import TestSupport
import Testing
import TintypeCore

@testable import TintypeRedis

@Suite struct RedisConfigurationTests {
    private func parts(_ url: String) throws -> [String?] {
        let configuration = try RedisConfiguration(url: url)
        return [
            configuration.name, configuration.user, configuration.password, configuration.tls == nil ? nil : "TLS",
        ]
    }

    @Test func aURLHasAllParts() throws {
        #expect(try parts("redis://h") == ["h:6379", nil, nil, nil])
        #expect(try parts("redis://h/") == ["h:6379", nil, nil, nil])
        #expect(try parts("rediss://ann:pw@cache.example:7000/3") == ["cache.example:7000/3", "ann", "pw", "TLS"])
        #expect(try parts("REDIS://:pw@127.0.0.1") == ["127.0.0.1:6379", nil, "pw", nil])
        #expect(try parts("redis://a%40b:p%2F%3A%25w@h:1/0") == ["h:1", "a@b", "p/:%w", nil])
        #expect(try parts("redis://[::1]:5") == ["[::1]:5", nil, nil, nil])
        #expect(try parts("unix:///run/redis.sock") == ["/run/redis.sock", nil, nil, nil])
        #expect(try parts("unix://ann:pw@/run/r.sock?db=2") == ["/run/r.sock/2", "ann", "pw", nil])
        #expect(try RedisConfiguration(url: "redis://[::1]:5").address == .host("::1", port: 5))
    }

    @Test(arguments: [
        "", "h", "h:6379", "http://h", "redis:", "redis://", "redis://:secret@", "redis://h:0", "redis://h:65536",
        "redis://h/x", "redis://h/1/2", "redis://h/-1", "redis://h/9999999", "redis://h?db=1", "redis://h#secret",
        "redis://u:sec ret@h", "redis://u:sec#ret@h", "unix://h/secret", "unix:", "unix:///s?timeout=1",
        "unix:///s?db=x",
        "redis://u:secret@h:port",
    ])
    func otherTextsAreRefusedWithoutTheirSecrets(_ text: String) {
        let error = expectError(.invalidSource) { try RedisConfiguration(url: text) }
        #expect(error.map { !"\($0)".contains("sec") && !"\($0)".contains("ret") } == true, "\(error as Any)")
    }

    @Test func noDescriptionShowsASecret() throws {
        var configuration = try RedisConfiguration(url: "rediss://ann:hidden@h")
        configuration.tls?.privateKey = "hidden"
        var texts = ["\(configuration)", String(reflecting: configuration), "\([configuration])"]
        for value in [configuration, configuration.tls as Any] as [Any] {
            var text = ""
            dump(value, to: &text)
            texts += [text, String(describing: value), String(reflecting: value)]
        }
        for text in texts { #expect(!text.contains("hidden"), "\(text)") }
        #expect(configuration.password == "hidden" && configuration.tls?.privateKey == "hidden")
    }

    @Test func aPasswordComesFromAFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tintype-redis-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = RedisConfiguration(host: "h")
        try Data(" pass word\r\n\n".utf8).write(to: file)
        try configuration.readPassword(fromFile: file.path)
        #expect(configuration.password == " pass word")
        for content in ["", "\n", String(repeating: "a", count: 4097)] {
            try Data(content.utf8).write(to: file)
            expectError(.unreadable) { try configuration.readPassword(fromFile: file.path) }
        }
        try FileManager.default.removeItem(at: file)
        expectError(.unreadable) { try configuration.readPassword(fromFile: file.path) }
    }

    @Test func aStoreNeedsServersThatDiffer() throws {
        let server = RedisConfiguration(host: "h")
        expectError(.invalidSource) { try RedisStore([]) }
        expectError(.invalidSource) { try RedisStore([server, server]) }
        var small = RedisConfiguration(host: "i")
        small.maximumValueSize = 1000
        #expect(try RedisStore([server, small]).maximumValueSize == 1000)
    }

    @Test func serverErrorsAreExplained() {
        let cases = [
            ("MOVED 3999 127.0.0.1:6381", "belongs to a cluster, which is not supported"),
            ("ASK 3999 127.0.0.1:6381", "name one or several single servers"),
            ("CLUSTERDOWN Hash slot not served", "belongs to a cluster"),
            ("OOM command not allowed", "maxmemory-policy"), ("READONLY You can't write", "primary"),
            ("ERR other", "the server answered \"ERR other\""), ("", "the server answered \"\""),
        ]
        for (text, part) in cases {
            let error = RedisServerError.error(text, server: "h:1")
            #expect(error.message.contains(part) && error.code == .badStatus && error.subject == "h:1")
        }
    }
}
