import Foundation
import Testing

@testable import TintypeHTTP

/// The heads of responses, line by line, as libcurl hands them over.
@Suite struct HeadReaderTests {
    /// Reads lines, and returns the head.
    private func read(_ lines: [String]) throws -> TransportHead? {
        var reader = HeadReader()
        var head: TransportHead?
        for line in lines {
            head = try Array("\(line)\r\n".utf8).withUnsafeBytes { try reader.read($0) } ?? head
        }
        #expect(reader.isComplete == (head != nil))
        return head
    }

    private func fields(_ lines: [String]) throws -> [String]? {
        try read(["HTTP/1.1 200 OK"] + lines + [""])?.headers.all.map { "\($0.name)=\($0.value)" }
    }

    private func expectMalformed(
        _ location: SourceLocation = #_sourceLocation, _ read: () throws -> some Any
    ) {
        let failure = #expect(throws: TransportFailure.self, sourceLocation: location) { _ = try read() }
        #expect(failure?.kind == .malformed, sourceLocation: location)
    }

    @Test func aHeadHasAStatusAVersionAndFields() throws {
        let head = try #require(try read(["HTTP/1.1 200 OK", "A: b", "C:d ", "E:", ""]))
        #expect(head.status == 200 && head.version == "http/1.1")
        #expect(head.headers.all.map(\.name) == ["A", "C", "E"] && head.headers.all.map(\.value) == ["b", "d", ""])
    }

    /// libcurl takes the end of a connection for that of the head.
    @Test func aHeadWithoutABlankLineIsNotComplete() throws {
        #expect(try read(["HTTP/1.1 200 OK", "A: b"]) == nil)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200", 200), ("HTTP/1.0 404 Not Found", 404), ("HTTP/2 204 ", 204), ("HTTP/1.1 599 X", 599),
            ("HTTP/1.1 000 X", nil), ("HTTP/1.1 099 X", nil), ("HTTP/1.1 600 X", nil), ("HTTP/1.1 101 X", nil),
            ("HTTP/1.2 200 X", nil), ("HTTP/3 200 ", 200), ("HTTP/4 200 X", nil), ("ICY 200 OK", nil),
            ("HTTP/1.1 20 X", nil),
            ("HTTP/1.1 2000 X", nil), ("HTTP/1.1 +20 X", nil), ("HTTP/1.1", nil), ("", nil),
        ] as [(String, Int?)])
    func aStatusHasThreeDigitsFrom200To599(_ line: String, _ status: Int?) {
        #expect((try? read([line, ""]))??.status == status)
    }

    /// RFC 9112, 5.2.
    @Test func aFoldedFieldIsOneField() throws {
        #expect(try fields(["A: b", "  c", "\td ", "E: f"]) == ["A=b c d", "E=f"])
        expectMalformed { try fields([" c"]) }
    }

    /// RFC 9112, 6.3.
    @Test(
        arguments: [
            (["Content-Length: 5"], "5"), (["Content-Length: 5", "content-length: 5"], "5"),
            (["Content-Length: 5, 5"], "5"), (["Content-Length: 5,5", "Content-Length: 05"], "5"),
            (["Content-Length: 5", "Content-Length: 6"], nil), (["Content-Length: 5, 6"], nil),
            (["Content-Length: 5,"], nil), (["Content-Length: "], nil), (["Content-Length: -5"], nil),
            (["Content-Length: +5"], nil), (["Content-Length: 5x"], nil),
            (["Content-Length: 99999999999999999999"], nil),
        ] as [([String], String?)])
    func equalLengthsAreOneAndOthersAreRefused(_ lines: [String], _ length: String?) {
        #expect((try? fields(lines)) == length.map { ["Content-Length=\($0)"] })
    }

    @Test(arguments: ["A b: c", ": c", "A", "A\u{0}: c", "A: b\u{0}c", "A: b\rc", "A : c", "\u{E4}: c"])
    func aFieldThatIsNotValidIsRefused(_ line: String) {
        expectMalformed { try fields([line]) }
    }

    @Test func informationalResponsesAreSkippedUpToALimit() throws {
        let hint = ["HTTP/1.1 103 Early Hints", "Link: </a>", ""]
        let many = Array(repeating: hint, count: 32).flatMap { $0 }
        let head = try read(many + ["HTTP/1.1 200 OK", "A: b", ""])
        #expect(head?.headers.all.map(\.name) == ["A"])
        expectMalformed { try read(many + hint) }
    }

    /// libcurl 7.88 removes other codings, without a limit on what comes of them.
    @Test(
        arguments: [
            ("chunked", true), ("Chunked", true), ("identity", true), ("gzip, chunked", false), ("gzip", false),
            ("chunked, chunked", false), ("x", false),
        ])
    func onlyOneTransferCodingIsAccepted(_ coding: String, _ isAccepted: Bool) {
        #expect(((try? fields(["Transfer-Encoding: \(coding)"])) != nil) == isAccepted)
    }

    /// RFC 9112, 6.3; curl, too, reads the chunks.
    @Test(arguments: [["Content-Length: 5"], ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: x"]])
    func chunksOverrideAStatedLength(_ lengths: [String]) throws {
        for lines in [["Transfer-Encoding: chunked"] + lengths, lengths + ["Transfer-Encoding: Chunked"]] {
            #expect(try fields(lines)?.count == 1)
        }
        #expect(try fields(["Content-Length: 5", "Transfer-Encoding: identity"])?.first == "Content-Length=5")
    }

    @Test func theLinesOfAHeadAreLimited() throws {
        let lines = ["A: b"] + Array(repeating: " c", count: 999)
        #expect(try fields(lines)?.count == 1)
        expectMalformed { try fields(lines + [" c"]) }
    }

    @Test func aSecondHeadIsNotATrailer() throws {
        #expect(try read(["HTTP/1.1 200 OK", "", "X-Trailer: 1"])?.status == 200)
        expectMalformed { try read(["HTTP/1.1 417 X", "", "HTTP/1.1 200 OK", ""]) }
    }

    @Test func theBytesOfAllLinesAreLimited() throws {
        let line = "A: " + String(repeating: "x", count: 1000)
        let head = try #require(try read(["HTTP/1.1 200 OK"] + Array(repeating: line, count: 250) + [""]))
        #expect(head.headers.all.count == 250)
        expectMalformed {
            try read(["HTTP/1.1 200 OK"] + Array(repeating: line, count: 270) + [""])
        }
        // Trailers count as well.
        expectMalformed {
            try read(["HTTP/1.1 200 OK", ""] + Array(repeating: line, count: 270))
        }
    }

    /// Browsers send such bytes as they are, as percent escapes.
    @Test func theBytesOfALocationStayAsTheyAre() throws {
        var reader = HeadReader()
        var head: TransportHead?
        let location = Array("Location: /caf".utf8) + [0xE9, 0x0D, 0x0A]
        for line in [Array("HTTP/1.1 302 Found\r\n".utf8), location, [0x0D, 0x0A]] {
            head = try line.withUnsafeBytes { try reader.read($0) } ?? head
        }
        #expect(head?.headers["location"] == "/caf%E9")
    }
}
