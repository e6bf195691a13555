import Testing

@testable import TintypeServer

@Suite struct SignatureTests {
    struct Vector: Sendable {
        let path: String
        var size = 32
        let signature: String
    }

    /// The first is the example of imgproxy's documentation (`docs/usage/signing_url.mdx`). The others were computed
    /// with the modules hmac and hashlib of Python 3.11.
    static let vectors: [Vector] = [
        Vector(
            path: "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
            signature: "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"),
        Vector(
            path: "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png", size: 8,
            signature: "oKfUtW34Dvo"),
        Vector(
            path: "/rs:fit:512:512/q:80/plain/http://127.0.0.1:9001/a.jpg@webp",
            signature: "W7bimZsErQ0UxkD85Ws_O74pFcq4UBV4fs6fGHhTf_c"),
        Vector(
            path: "/plain/http://example.com/%D0%B0%20(1).jpg@png", size: 32,
            signature: "jN7bRFy7wbrNj3TdJtRDJjCPopVLryF_pfvvbIOV_7A"),
        Vector(path: "/plain/http://example.com/a.jpg", size: 1, signature: "7A"),
        Vector(
            path: "/plain/http://example.com/a.jpg", size: 31, signature: "7NvTLI5VgCuhJVi5Pq7p4TppI7ylpeMgxjUBhCobOw"),
        Vector(
            path: "/w:1/plain/http://example.com/é.jpg", size: 32,
            signature: "nR9Szef_W5346rBUM_Y8VBPxVBtDHhVpiGkVHiJvlio"),
    ]

    static let key = SigningKey(hexadecimalKey: "736563726574", salt: "68656C6C6F")

    @Test(arguments: vectors) func aPathHasItsSignature(_ vector: Vector) throws {
        let key = try #require(Self.key)
        #expect(key.sign(path: vector.path, size: vector.size) == vector.signature)
        #expect(key.sign(path: String(vector.path.dropFirst()), size: vector.size) == vector.signature)
        let policy = SignaturePolicy(keys: [key], size: vector.size)
        #expect(try policy.verify(SignedPath(target: "/" + vector.signature + vector.path)) == .key(0))
    }

    /// imgproxy's `security/signature_test.go` (eef3b31).
    @Test func oneOfSeveralPairsMustHaveSigned() throws {
        let one = SigningKey(key: Array("test-key".utf8), salt: Array("test-salt".utf8))
        let two = SigningKey(key: Array("test-key2".utf8), salt: Array("test-salt2".utf8))
        let first = try SignedPath(target: "/oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20/asd")
        let second = try SignedPath(target: "/jYz1UZ7j1BCdSzH3pZhaYf0iuz0vusoOTdqJsUT6WXI/asd")
        let short = try SignedPath(target: "/oWaL7QoW5Ts/asd")
        let policy = SignaturePolicy(keys: [one, two])
        #expect(try policy.verify(first) == .key(0))
        #expect(try policy.verify(second) == .key(1))
        #expect(throws: ImageURLError.self) { try policy.verify(short) }
        #expect(throws: ImageURLError.self) { try policy.verify(SignedPath(target: "/dtLwhdnPPis/asd")) }
        #expect(throws: ImageURLError.self) { try SignaturePolicy(keys: [one]).verify(second) }
        #expect(try SignaturePolicy(keys: [one], size: 8).verify(short) == .key(0))
        #expect(throws: ImageURLError.self) { try SignaturePolicy(keys: [one], size: 8).verify(first) }
    }

    @Test func everyChangeOfPathOrSignatureIsRefused() throws {
        let key = try #require(Self.key)
        let policy = SignaturePolicy(keys: [key])
        let path = "/w:100/plain/http://example.com/a.jpg"
        let target = "/" + key.sign(path: path) + path
        for index in target.indices.dropFirst() where target[index] != "/" {
            var changed = target
            changed.replaceSubrange(index...index, with: target[index] == "A" ? "B" : "A")
            // The last character of a signature holds four bits of it, and two that mean nothing.
            if index == target.index(target.startIndex, offsetBy: 43) { continue }
            #expect(throws: ImageURLError.self, "\(changed)") { try policy.verify(SignedPath(target: changed)) }
        }
        for signature in ["unsafe", "_", "", "A", key.sign(path: path) + "=", key.sign(path: path) + "A", "ä", "+/"] {
            #expect(throws: ImageURLError.self) { try policy.verify(SignedPath(target: "/" + signature + path)) }
        }
    }

    @Test func withoutKeysEverythingIsAcceptedButAForgottenSignature() throws {
        let policy = SignaturePolicy()
        for signature in ["unsafe", "_", "oKfUtW34Dvo", "%"] {
            #expect(try policy.verify(SignedPath(target: "/\(signature)/w:1/plain/a")) == .unsigned)
        }
        for signature in ["w:1", "rs:fill:1:2", "rs%3Afill"] {
            do {
                try policy.verify(SignedPath(target: "/\(signature)/plain/a"))
                Issue.record("no error")
            } catch {
                #expect(error.kind == .signature && error.status == 403 && error.detail.contains(signature))
            }
        }
    }

    @Test func trustedTextsAreAcceptedAsTheyAre() throws {
        let policy = SignaturePolicy(keys: [try #require(Self.key)], trusted: ["trusted", "zwei"])
        #expect(try policy.verify(SignedPath(target: "/trusted/asd")) == .trusted)
        #expect(try policy.verify(SignedPath(target: "/zwei/asd")) == .trusted)
        #expect(throws: ImageURLError.self) { try policy.verify(SignedPath(target: "/untrusted/asd")) }
        #expect(throws: ImageURLError.self) { try policy.verify(SignedPath(target: "/trustee/asd")) }
    }

    @Test func theErrorNamesTheTextThatWasHashedAndNoKey() throws {
        let policy = SignaturePolicy(keys: [try #require(Self.key)])
        do {
            try policy.verify(SignedPath(target: "/AAAA/rs%3Afit/plain/http:/a"))
            Issue.record("no error")
        } catch {
            #expect(error.detail.contains("/rs:fit/plain/http://a"))
            #expect(!error.detail.contains("secret") && !error.detail.contains("736563"))
        }
    }

    @Test func onlyHexadecimalKeysAreRead() {
        for (key, salt) in [
            ("xx", "00"), ("0", "00"), ("00", "0x"), ("", "00"), ("00", ""), ("00 ", "00"), ("٠٠", "00"),
        ] {
            #expect(SigningKey(hexadecimalKey: key, salt: salt) == nil, "\(key) \(salt)")
        }
        #expect(SigningKey(hexadecimalKey: "00fFAb", salt: "10")?.key == [0, 255, 0xab])
    }

    @Test func theComparisonInConstantTimeFindsEveryDifference() {
        let bytes: [UInt8] = [1, 2, 3, 4]
        #expect(equalInConstantTime(bytes, bytes))
        #expect(!equalInConstantTime(bytes, [1, 2, 3]))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x80
            #expect(!equalInConstantTime(bytes, other))
        }
    }
}
