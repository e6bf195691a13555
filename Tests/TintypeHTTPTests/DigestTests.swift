import Foundation
import HTTPTestSupport
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// Digest authentication (RFC 7616).
@Suite(.timeLimited) struct DigestTests {
    // MARK: Challenges and answers

    private static let fields = #"""
        realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \#
        opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """#

    private func answer(to challenge: DigestChallenge) -> String {
        DigestAnswer(
            user: "Mufasa", password: "Circle of Life", method: "GET", target: "/dir/index.html", count: 1,
            nonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", sessionNonce: ""
        ).field(to: challenge)
    }

    /// The examples of RFC 7616, 3.9.1.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ]) func theAnswersAreThoseOfTheRFC(_ algorithm: String, _ response: String) throws {
        let challenge = try #require(DigestChallenge.best(of: ["Digest \(Self.fields), algorithm=\(algorithm)"]))
        let answer = answer(to: challenge)
        #expect(answer.contains("response=\"\(response)\"") && answer.contains("algorithm=\(algorithm)"))
        #expect(answer.contains("nc=00000001, qop=auth") && answer.contains(#"uri="/dir/index.html""#))
        #expect(answer.contains(#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#))
    }

    /// The example of RFC 2069, 2.4, with its correction.
    @Test func anOldServerHasNoQualityOfProtection() throws {
        let challenge = try #require(
            DigestChallenge.best(of: [
                #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#
            ]))
        let answer = DigestAnswer(
            user: "Mufasa", password: "CircleOfLife", method: "GET", target: "/dir/index.html", count: 1, nonce: "",
            sessionNonce: "")
        let field = answer.field(to: challenge)
        #expect(field.contains(#"response="1949323746fe6a43ef61f9606e7febea""#))
        #expect(!field.contains("qop") && !field.contains("algorithm"))
    }

    @Test(arguments: [
        (["Basic realm=\"x\", Digest \(fields), algorithm=SHA-256"], DigestChallenge.Algorithm.sha256),
        (["Digest \(fields), algorithm=MD5", "Digest \(fields), algorithm=SHA-256, Basic realm=\"x\""], .sha256),
        (["digest \(fields)"], .md5), (["Digest \(fields), algorithm=SHA-512-256, Digest \(fields), Basic"], .md5),
        (["Negotiate", "Digest \(fields), algorithm=md5-SESS"], .md5),
    ]) func theStrongestChallengeIsAnswered(_ fields: [String], _ algorithm: DigestChallenge.Algorithm) throws {
        let challenge = try #require(DigestChallenge.best(of: fields))
        #expect(challenge.algorithm == algorithm && challenge.realm == "http-auth@example.org")
        #expect(challenge.isSession == fields.contains { $0.contains("SESS") })
    }

    @Test(arguments: [
        [], ["Basic realm=\"x\""], ["Digest"], ["Digest realm=\"x\""], ["Digest nonce=\"x\""],
        ["Digest realm=x, nonce=y, algorithm=SHA-512-256"], ["Digest realm=x, nonce=y, qop=auth-int"],
        ["=", ",", "Digest ="], ["Digest realm=x, nonce=y, algorithm=MD5-sess"],
    ]) func otherChallengesAreNotAnswered(_ fields: [String]) {
        #expect(DigestChallenge.best(of: fields) == nil)
    }

    @Test func quotesInNamesAreEscaped() throws {
        let challenge = try #require(DigestChallenge.best(of: [#"Digest realm="a\"b", nonce="n""#]))
        let answer = DigestAnswer(
            user: #"x"\y"#, password: "", method: "GET", target: "/", count: 1, nonce: "", sessionNonce: "")
        #expect(challenge.realm == #"a"b"#)
        #expect(answer.field(to: challenge).contains(#"username="x\"\\y", realm="a\"b""#))
    }

    @Test(arguments: [
        (#""DOMAIN\\user""#, #"DOMAIN\user"#), (#""a\b""#, "ab"), (#""\\\"""#, #"\""#), (#""\""#, ""),
        (#"a\b"#, #"a\b"#),
    ]) func aBackslashStandsForTheCharacterAfterIt(_ quoted: String, _ text: String) throws {
        #expect(HTTPList.unquoted(quoted) == text)
        let challenge = try #require(DigestChallenge.best(of: [#"Digest realm="x", nonce="\\n""#]))
        #expect(challenge.nonce == #"\n"# && answer(to: challenge).contains(#"nonce="\\n""#))
    }

    // MARK: Exchanges

    /// Serves an image to requests that answer the newest challenge.
    private func protect(_ origin: Origin, _ path: String = "/a", nonce: Shared<String>) {
        origin.serve(path) { request in
            let field = request[header: "Authorization"] ?? ""
            let isAnswered =
                field.hasPrefix(#"Digest username="me""#) && field.contains("nonce=\"\(nonce.now)\"")
                && field.contains("uri=\"\(path)\"")
            guard !isAnswered else { return .testImage }
            return OriginResponse(
                status: 401,
                headers: [("WWW-Authenticate", #"Digest realm="r", nonce="\#(nonce.now)", qop="auth""#)])
        }
    }

    private func downloader(_ origin: URL) -> Downloader {
        var configuration = DownloaderConfiguration.patient
        configuration.interceptors = [DigestAuthenticator(user: "me", password: "secret", origin: origin)]
        return Downloader(configuration)
    }

    @Test func aChallengeIsAnsweredAndLaterRequestsAreAuthenticatedAtOnce() async throws {
        try await Fixture.withOrigin { origin in
            let nonce = Shared("first")
            protect(origin, nonce: nonce)
            let downloader = downloader(origin.baseURL)
            func load() async throws { _ = try await Fixture.load(.url(origin.url("/a")), downloader) }
            try await load()
            #expect(origin.requestCount() == 2 && origin.requests[0][header: "Authorization"] == nil)
            try await load()
            #expect(origin.requestCount() == 3)
            let counts = origin.requests.dropFirst().map { $0[header: "Authorization"]?.contains("nc=00000002") }
            #expect(counts == [false, true])
            // The server has forgotten the nonce.
            nonce.withLock { $0 = "second" }
            try await load()
            #expect(origin.requestCount() == 5)
            #expect(origin.requests.last?[header: "Authorization"]?.contains("nc=00000001") == true)
        }
    }

    /// The key of a session depends on the first nonce of the client (RFC 7616, 3.4.2), and the answer on the newest.
    @Test func theKeyOfASessionStaysTheSame() async throws {
        try await Fixture.withOrigin { origin in
            let challenge = #"Digest realm="r", nonce="n", qop="auth", algorithm=MD5-sess"#
            origin.serve("/a") { request in
                guard request[header: "Authorization"] == nil else { return .testImage }
                return OriginResponse(status: 401, headers: [("WWW-Authenticate", challenge)])
            }
            let downloader = downloader(origin.baseURL)
            for _ in 0..<2 { _ = try await Fixture.load(.url(origin.url("/a")), downloader) }
            let answers = origin.requests.compactMap { $0[header: "Authorization"] }
            func value(_ name: String, _ answer: String) -> String {
                let rest = answer.split(separator: ", \(name)=\"").dropFirst().first
                return String(rest?.prefix { $0 != "\"" } ?? "")
            }
            let nonces = answers.map { value("cnonce", $0) }
            try #require(nonces.count == 2 && nonces[0] != nonces[1])
            func hash(_ text: String) -> String { MD5Digest.hexadecimal(of: text) }
            let key = hash("\(hash("me:r:secret")):n:\(nonces[0])")
            for (index, answer) in answers.enumerated() {
                let middle = "n:0000000\(index + 1):\(nonces[index]):auth"
                #expect(value("response", answer) == hash("\(key):\(middle):\(hash("GET:/a"))"))
            }
        }
    }

    @Test func aWrongPasswordEndsAfterOneAnswer() async throws {
        try await Fixture.withOrigin { origin in
            origin.serve(
                "/a", response: OriginResponse(status: 401, headers: [("WWW-Authenticate", "Digest realm=r, nonce=n")]))
            let error = await Fixture.expect(.badStatus) {
                try await Fixture.load(.url(origin.url("/a")), downloader(origin.baseURL))
            }
            #expect(error?.status == 401 && origin.requestCount() == 2)
        }
    }

    @Test func otherOriginsGetNoAnswer() async throws {
        try await Fixture.withOrigin { other in
            protect(other, nonce: Shared("n"))
            try await Fixture.withOrigin { origin in
                origin.serve("/away", response: .redirect(to: other.url("/a").absoluteString))
                let downloader = downloader(origin.baseURL)
                for url in [other.url("/a"), origin.url("/away")] {
                    await Fixture.expect(.badStatus) { try await Fixture.load(.url(url), downloader) }
                }
                #expect(other.requests.allSatisfy { $0[header: "Authorization"] == nil })
            }
        }
    }

    @Test func aRedirectWithinTheOriginIsAnsweredForItsPath() async throws {
        try await Fixture.withOrigin { origin in
            protect(origin, "/b", nonce: Shared("n"))
            origin.serve("/a", response: .redirect(to: "/b"))
            let loaded = try await Fixture.load(.url(origin.url("/a")), downloader(origin.baseURL))
            #expect(loaded.data == Fixture.body)
        }
    }
}
