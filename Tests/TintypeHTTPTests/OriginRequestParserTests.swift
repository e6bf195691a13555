import Foundation
import Testing
import TintypeTesting

@Suite struct OriginRequestParserTests {
    private static let wire = Data(
        ("\r\nGET /a%20b?c=%e9 HTTP/1.1\r\nHost: x\r\nX-A:  b c \r\n\r\n"
            + "POST /b HTTP/1.1\r\nContent-Length: 5\r\n\r\nabcde"
            + "PUT /c HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n"
            + "HEAD /d HTTP/1.1\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n" + "GET /e HTTP/1.0\r\n\r\n").utf8)

    /// Bytes may arrive in any pieces.
    @Test func requestsInAnyTwoPiecesAreRead() throws {
        for split in 0...Self.wire.count {
            var parser = OriginRequestParser()
            var arrivals: [OriginRequestParser.Arrival] = []
            for piece in [Self.wire.prefix(split), Self.wire.dropFirst(split)] {
                parser.append(piece)
                while let arrival = try parser.next() { arrivals.append(arrival) }
            }
            let requests = arrivals.map(\.request)
            #expect(requests.map(\.method) == ["GET", "POST", "PUT", "HEAD", "GET"], "\(split)")
            #expect(requests.map(\.path) == ["/a b", "/b", "/c", "/d", "/e"], "\(split)")
            #expect(requests.map(\.body.count) == [0, 5, 13, 0, 0], "\(split)")
            #expect(arrivals.map(\.keepsAlive) == [true, true, true, false, false], "\(split)")
            #expect(requests.first?.target == "/a%20b?c=%e9" && requests.first?.query == "c=%e9")
            #expect(requests.first?[header: "x-a"] == "b c")
        }
    }

    @Test func aTargetIsVisibleAsReceived() throws {
        var parser = OriginRequestParser()
        parser.append(Data("GET /\u{E9}?%zz|\"<> HTTP/1.1\r\n\r\n".utf8))
        parser.append(Data("GET /".utf8) + [0xE9, 0xFF] + Data(" HTTP/1.1\r\n\r\n".utf8))
        let targets = (try parser.next()?.request.target, try parser.next()?.request.target)
        #expect(targets == ("/\u{E9}?%zz|\"<>", "/\u{E9}\u{FF}"))
    }

    @Test(arguments: [
        "abc\r\n", "GET /a\r\n", "GET  HTTP/1.1\r\n", "GET / a HTTP/1.1\r\n", "GET / HTTP/2.0\r\n", " / HTTP/1.1\r\n",
        "PRI * HTTP/2.0\r\n", "GET / HTTP/1.1\r\nabc\r\n", "GET / HTTP/1.1\r\n: b\r\n", "GET / HTTP/1.1\r\na : b\r\n",
        "GET / HTTP/1.1\r\na: b\r\n c: d\r\n", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    ]) func anythingElseIsAnError(_ text: String) {
        var parser = OriginRequestParser()
        parser.append(Data(text.utf8))
        #expect(throws: OriginRequestParser.SyntaxError.self) { try parser.next() }
    }
}
