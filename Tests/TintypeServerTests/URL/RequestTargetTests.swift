import Testing

@testable import TintypeServer

/// The cases of imgproxy's `handlers/path_test.go` (eef3b31), and more.
@Suite struct RequestTargetTests {
    /// A target, a prefix, and the signature and the path in it.
    static let targets: [(String, String, String, String)] = [
        ("/sig/rs:fill:300:200/plain/http://a.com/b.jpg", "", "sig", "rs:fill:300:200/plain/http://a.com/b.jpg"),
        (
            "/sig/rs:fill:300:200/plain/http://a.com/b.jpg?c=1&d=2", "", "sig",
            "rs:fill:300:200/plain/http://a.com/b.jpg"
        ),
        ("/pre/sig/w:1/plain/http://a.com/b.jpg", "/pre", "sig", "w:1/plain/http://a.com/b.jpg"),
        ("/prefix/w:1/plain/a", "/pre", "prefix", "w:1/plain/a"),
        ("/sig/w:1/plain/https:/a.com/b.jpg", "", "sig", "w:1/plain/https://a.com/b.jpg"),
        ("/sig/rs%3Afill%3A300/plain/https://a.com/b.jpg", "", "sig", "rs:fill:300/plain/https://a.com/b.jpg"),
        ("/sig/rs%3Afill%3A300/abc/abc", "", "sig", "rs:fill:300/abc/abc"),
        ("sig/abc", "", "sig", "abc"),
        ("http://server:8080/sig/abc?x", "", "sig", "abc"), ("HTTPS://server/sig/abc", "", "sig", "abc"),
        ("/sig/plain/http://a/%3F%25%40é", "", "sig", "plain/http://a/%3F%25%40é"),
        // The accent is a character of its own to a signer, though not to String.
        ("/sig/\u{301}abc", "", "sig", "\u{301}abc"),
    ]

    @Test func aTargetIsCutIntoSignatureAndPath() throws {
        for (target, prefix, signature, path) in Self.targets {
            let signed = try SignedPath(target: target, prefix: prefix)
            #expect(Array(signed.signature.utf8) == Array(signature.utf8), "\(target)")
            #expect(Array(signed.path.utf8) == Array(path.utf8), "\(target)")
            #expect(try SignedPath(bytes: Array(target.utf8), prefix: prefix) == signed)
        }
    }

    @Test(arguments: [
        "/invalid_path_without_slash", "/", "", "/sig", "/sig/", "//abc", "?", "/sig?/abc", "http://server",
        "http://server/a",
    ]) func aTargetWithoutTwoPartsIsRefused(_ target: String) {
        do {
            _ = try SignedPath(target: target)
            Issue.record("no error")
        } catch {
            #expect(error.kind == .path && error.status == 400)
        }
    }

    @Test func aTargetThatIsTooLongOrNotUTF8IsRefused() throws {
        let rest = String(repeating: "a", count: SignedPath.maximumLength - 3)
        _ = try SignedPath(target: "/s/" + rest)
        #expect(throws: ImageURLError.self) { try SignedPath(target: "/s/a" + rest) }
        #expect(throws: ImageURLError.self) { try SignedPath(bytes: Array("/s/".utf8) + [0xff]) }
    }

    /// A path, and what it was before a proxy changed it.
    static let repairs: [(String, String)] = [
        ("plain/http:/a.com/b.jpg", "plain/http://a.com/b.jpg"),
        ("plain/https:/a.com/b.jpg", "plain/https://a.com/b.jpg"),
        ("plain/local:/b.jpg", "plain/local:///b.jpg"), ("plain/local:///b.jpg", "plain/local:///b.jpg"),
        ("/w:1/plain/http:/a.com/b.jpg", "w:1/plain/http://a.com/b.jpg"),
        ("/plain/http://a.com/b.jpg", "plain/http://a.com/b.jpg"), ("/w:1/plain/a.com/b.jpg", "w:1/plain/a.com/b.jpg"),
        ("", ""), ("/", ""), ("/http:/a.com/b.jpg", "http:/a.com/b.jpg"), ("/plain/a.com/b.jpg", "plain/a.com/b.jpg"),
        ("/plain/http:", "plain/http:"), ("/plain/http:/test", "plain/http://test"),
        ("/plain/s3:/b/k", "plain/s3://b/k"),
        ("plain/http://a.com/p:/q", "plain/http://a.com/p:/q"), ("plain/a/http:/b", "plain/a/http:/b"),
        ("w%3A1/h%3a1/plain/http%3A//a", "w:1/h%3a1/plain/http%3A//a"),
        ("w:1/plain/plain/x%3A", "w:1/plain/plain/x%3A"),
        ("plain/http:/a.com/plain/b:/c", "plain/http://a.com/plain/b:/c"),
    ]

    @Test func theDamageOfProxiesIsRepaired() {
        for (path, repaired) in Self.repairs {
            #expect(PathRepair.repaired(path) == repaired, "\(path)")
            #expect(PathRepair.repaired(repaired) == repaired, "\(repaired)")
        }
    }
}
