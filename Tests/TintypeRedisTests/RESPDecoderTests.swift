import Foundation
import Testing
import TintypeTesting

@testable import TintypeRedis

/// Decodes the examples of the specification (<https://redis.io/docs/latest/develop/reference/protocol-spec/>), and
/// others.
@Suite struct RESPDecoderTests {
    /// Replies with their values.
    private static let table: [(text: String, value: RESPValue)] = [
        ("+OK\r\n", .simple("OK")),
        ("+\r\n", .simple("")),
        ("-WRONGTYPE Operation against a key\r\n", .error("WRONGTYPE Operation against a key")),
        (":0\r\n", .integer(0)), (":+1000\r\n", .integer(1000)), (":-9223372036854775808\r\n", .integer(.min)),
        ("$5\r\nhello\r\n", bulk("hello")), ("$0\r\n\r\n", bulk("")), ("$4\r\n\r\n\r\n\r\n", bulk("\r\n\r\n")),
        ("$-1\r\n", .null), ("*-1\r\n", .null), ("_\r\n", .null),
        ("*0\r\n", .array([])),
        ("*2\r\n$5\r\nhello\r\n$5\r\nworld\r\n", .array([bulk("hello"), bulk("world")])),
        ("*3\r\n$5\r\nhello\r\n$-1\r\n*1\r\n:7\r\n", .array([bulk("hello"), .null, .array([.integer(7)])])),
        ("*2\r\n*0\r\n*1\r\n*0\r\n", .array([.array([]), .array([.array([])])])),
        ("#t\r\n", .boolean(true)), ("#f\r\n", .boolean(false)),
        (",1.23\r\n", .double(1.23)), (",10\r\n", .double(10)), (",inf\r\n", .double(.infinity)),
        (",-inf\r\n", .double(-.infinity)), (",1.5E-3\r\n", .double(0.0015)),
        (
            "(3492890328409238509324850943850943825024385\r\n",
            .bigNumber("3492890328409238509324850943850943825024385")
        ),
        ("!21\r\nSYNTAX invalid syntax\r\n", .error("SYNTAX invalid syntax")),
        ("=15\r\ntxt:Some string\r\n", .verbatim(format: "txt", Data("Some string".utf8))),
        (
            "%2\r\n+first\r\n:1\r\n+second\r\n:2\r\n",
            .map([.init(.simple("first"), .integer(1)), .init(.simple("second"), .integer(2))])
        ),
        ("%0\r\n", .map([])), ("~2\r\n:1\r\n:2\r\n", .set([.integer(1), .integer(2)])),
        (">2\r\n+invalidate\r\n*1\r\n+key\r\n", .push([.simple("invalidate"), .array([.simple("key")])])),
        (
            "|1\r\n+key-popularity\r\n%2\r\n$1\r\na\r\n,0.1923\r\n$1\r\nb\r\n,0.0012\r\n*2\r\n:2039123\r\n:9543892\r\n",
            .array([.integer(2_039_123), .integer(9_543_892)])
        ),
        ("*3\r\n:1\r\n:2\r\n|1\r\n+ttl\r\n:3600\r\n:3\r\n", .array([.integer(1), .integer(2), .integer(3)])),
        ("*1\r\n|0\r\n:3\r\n", .array([.integer(3)])),
    ]

    private static func bulk(_ text: String) -> RESPValue { .bulk(Data(text.utf8)) }

    @Test func everyExampleHasItsValueWhereverItIsSplit() throws {
        for (text, value) in Self.table {
            let bytes = Data(text.utf8)
            for split in 0...bytes.count {
                #expect(try RESPDecoder.decode(bytes.prefix(split), bytes.dropFirst(split)) == [value], "\(text)")
            }
            #expect(try RESPDecoder.decode(bytes.map { Data([$0]) }) == [value], "\(text)")
        }
    }

    @Test func repliesFollowEachOtherInOneRead() throws {
        let all = Data(Self.table.map(\.text).joined().utf8)
        #expect(try RESPDecoder.decode(all) == Self.table.map(\.value))
        #expect(try RESPDecoder.decode(all.map { Data([$0]) }) == Self.table.map(\.value))
    }

    @Test func notANumberIsANumber() throws {
        guard case .double(let number)? = try RESPDecoder.decode(Data(",nan\r\n".utf8)).first else {
            Issue.record("no number")
            return
        }
        #expect(number.isNaN)
    }

    @Test func everyPrefixOfAReplyIsIncomplete() throws {
        for (text, _) in Self.table {
            let bytes = Data(text.utf8)
            for count in bytes.indices {
                #expect(try RESPDecoder.decode(bytes.prefix(count)).isEmpty, "\(text)")
            }
        }
    }

    // MARK: Violations

    private static let limits: RESPLimits = {
        var limits = RESPLimits(bulkSize: 10)
        (limits.surplusSize, limits.lineSize, limits.depth, limits.count) = (20, 12, 3, 6)
        return limits
    }()

    private func violation(_ text: String) -> RESPViolation? {
        do throws(RESPViolation) {
            _ = try RESPDecoder.decode(Data(text.utf8), limits: Self.limits)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "\r\n", "\n", "+OK\n", "+a\rb\r\n", "HTTP/1.1 400\r\n", "?\r\n", "\0\r\n", ":\r\n", ":1.5\r\n", ": 1\r\n",
        ":--1\r\n",
        ":99999999999999", "$\r\n", "$-2\r\n", "$+1\r\n", "$1x\r\n", "$ 1\r\n", "$3\r\nabcde\r\n", "$1\r\nab\r\n",
        "$?\r\n", "*?\r\n", "*-2\r\n", "%-1\r\n", "~-1\r\n", "!-1\r\n", "_x\r\n", "#\r\n", "#x\r\n", "#tt\r\n", ",\r\n",
        ",1,5\r\n", "(\r\n", "(1.0\r\n", "(-\r\n", "=3\r\ntxt\r\n", "=4\r\ntxt-\r\n", "*1\r\n>1\r\n", ".\r\n",
    ])
    func whatIsNotOfTheProtocolIsRefused(_ text: String) {
        // An integer without an end has not violated anything yet, but is too long.
        guard let violation = violation(text) else {
            Issue.record("accepted")
            return
        }
        switch violation {
        case .malformed, .lineTooLong: break
        default: Issue.record("\(violation)")
        }
    }

    @Test func anIntegerMustFitInto64Bits() {
        #expect(throws: RESPViolation.malformed("an integer")) {
            try RESPDecoder.decode(Data(":9223372036854775808\r\n".utf8))
        }
    }

    @Test func theSizeOfABulkStringIsLimitedBeforeItArrives() {
        #expect(violation("$10\r\n") == nil)
        #expect(violation("$11\r\n") == .tooLarge(limit: 10))
        #expect(violation("!11\r\n") == .tooLarge(limit: 10))
        #expect(throws: RESPViolation.tooLarge(limit: 1000)) {
            try RESPDecoder.decode(Data("$999999999999999999\r\n".utf8))
        }
        #expect(throws: RESPViolation.malformed("the length of a bulk string")) {
            try RESPDecoder.decode(Data("$9999999999999999999\r\n".utf8))
        }
    }

    @Test func theSizeOfAReplyIsLimited() {
        let ten = "$10\r\n0123456789\r\n"
        #expect(violation("*2\r\n\(ten)\(ten)") == nil)
        #expect(violation("*3\r\n\(ten)\(ten)\(ten)") == .tooLarge(limit: 30))
        #expect(violation(String(repeating: ten, count: 100)) == nil)
    }

    @Test func theLengthOfALineIsLimitedBeforeItEnds() {
        #expect(violation("+" + String(repeating: "a", count: 11) + "\r\n") == nil)
        #expect(violation("+" + String(repeating: "a", count: 12) + "\r\n") == .lineTooLong(limit: 12))
        #expect(violation("+" + String(repeating: "a", count: 13)) == .lineTooLong(limit: 12))
    }

    @Test func theDepthIsLimited() {
        #expect(violation("*1\r\n*1\r\n*1\r\n:1\r\n") == nil)
        #expect(violation("*1\r\n*1\r\n*1\r\n*1\r\n") == .tooDeep(limit: 3))
        #expect(violation("*1\r\n%1\r\n|1\r\n~1\r\n") == .tooDeep(limit: 3))
    }

    @Test func theNumberOfValuesIsLimited() {
        #expect(violation("*6\r\n") == nil)
        #expect(violation("*7\r\n") == .tooMany(limit: 6))
        #expect(violation("%4\r\n") == .tooMany(limit: 6))
        #expect(violation("*3\r\n*3\r\n*1\r\n") == .tooMany(limit: 6))
        // Attributes are skipped, but a reply may not have any number of them.
        #expect(violation(String(repeating: "|0\r\n", count: 7)) == .tooMany(limit: 6))
    }

    @Test func randomBytesAreRefusedOrDecodedWithinTheLimits() {
        var random = SeededRandom.printed("RESPDecoderTests")
        let alphabet = Array("+-:$*_#,(!=%~>|0123456789t\r\n".utf8)
        for _ in 0..<2000 {
            let length = Int.random(in: 1...60, using: &random)
            let bytes = Data((0..<length).map { _ in alphabet.randomElement(using: &random) ?? 0 })
            let split = Int.random(in: 0...length, using: &random)
            let whole = Result { () throws(RESPViolation) in try RESPDecoder.decode(bytes, limits: Self.limits) }
            let parts = Result { () throws(RESPViolation) in
                try RESPDecoder.decode(bytes.prefix(split), bytes.dropFirst(split), limits: Self.limits)
            }
            #expect(whole == parts, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
    }
}
