import Foundation
import TestSupport
import Testing

@testable import TintypeCommand

/// `tintype url`.
@Suite(.timeLimited) struct ImageURLTests {
    /// The key and the salt of imgproxy's documentation.
    private static let keys = ["TINTYPE_KEY": "736563726574", "TINTYPE_SALT": "68656C6C6F"]
    private static let path = "/rs:fit:512:512/q:80/plain/http://127.0.0.1:9001/a.jpg@webp"
    /// The signature of the path, computed with Python's hmac.
    private static let signature = "W7bimZsErQ0UxkD85Ws_O74pFcq4UBV4fs6fGHhTf_c"

    @Test func aPathIsSignedAsByImgproxy() async throws {
        let run = try await CommandRun.tintype(
            "url", "sign", "http://127.0.0.1:9001/a.jpg", "rs:fit:512:512", "q:80", "--format", "webp",
            environment: Self.keys)
        #expect(run.status == 0 && run.output == "/\(Self.signature)\(Self.path)\n", "\(run.error)")
        let encoded = try await CommandRun.tintype(
            "url", "sign", "--base64", "http://127.0.0.1:9001/a.jpg", environment: Self.keys)
        #expect(encoded.output.hasSuffix("/aHR0cDovLzEyNy4wLjAuMTo5MDAxL2EuanBn\n"))
    }

    @Test func onlyASignedURLIsValid() async throws {
        let url = "https://images.example.org/\(Self.signature)\(Self.path)"
        let valid = try await CommandRun.tintype("url", "verify", url, environment: Self.keys)
        #expect(valid.status == 0 && valid.output == "valid\n")
        let other = try await CommandRun.tintype("url", "verify", url + "x", environment: Self.keys)
        #expect(other.status == 1 && other.output.hasPrefix("status 403: "))
    }

    @Test func anExplanationNamesOptionsAndSource() async throws {
        let run = try await CommandRun.tintype("url", "explain", "/_\(Self.path)", environment: [:])
        #expect(run.status == 0)
        for line in ["source: http://127.0.0.1:9001/a.jpg", "format: webp"] {
            #expect(run.output.contains("\(line)\n"))
        }
        // An unsigned server loads only sources that are named.
        let unsigned = try await CommandRun.tintype(
            "url", "verify", "/_\(Self.path)", environment: ["TINTYPE_UNSIGNED": "true"])
        #expect(unsigned.status == 1 && unsigned.output.hasPrefix("status 403: "))
    }

    @Test(arguments: [
        (["sign", "https://example.org/a.jpg"], [:]), (["sign", "a.jpg"], keys),
        (["sign", "https://example.org/a.jpg", "zz:1"], keys), (["explain", "/"], ["TINTYPE_KEY": "xx"]),
    ])
    func whatCannotBeSignedIsAUsageError(_ arguments: [String], _ environment: [String: String]) async throws {
        let run = try await CommandRun.tintype(["url"] + arguments, environment: environment)
        #expect(run.status == 64 && run.output.isEmpty, "\(run.output)")
    }
}
