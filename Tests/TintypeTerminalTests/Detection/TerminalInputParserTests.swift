import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeTerminal

@Suite struct TerminalInputParserTests {
    @Test(arguments: [
        ("\u{1B}[A", TerminalKey.up), ("\u{1B}OB", .down), ("\u{1B}[6~", .pageDown), ("\u{1B}[5~", .pageUp),
        ("\u{1B}[H", .home), ("\u{1B}[4~", .end), ("\r", .enter), ("q", .character("q")), ("é", .character("é")),
        ("😀", .character("😀")), ("\u{3}", .character("\u{3}")),
    ])
    func keys(_ text: String, _ key: TerminalKey) {
        var parser = TerminalInputParser()
        #expect(parser.parse(text.utf8) == [.key(key)])
        #expect(!parser.hasPendingKey)
    }

    @Test func aLoneEscapeIsAKeyOnceTheBurstEnds() {
        var parser = TerminalInputParser()
        #expect(parser.parse("\u{1B}".utf8).isEmpty && parser.hasPendingKey)
        #expect(parser.endBurst() == .key(.escape) && parser.endBurst() == nil)
        #expect(parser.parse("A".utf8) == [.key(.character("A"))])
    }

    /// A terminal sends such a key as an escape and the character, which also begins a sequence.
    @Test(arguments: ["X", "]", "P", "_", "^", "[", "O"])
    func aKeyPressedWithAltDoesNotSwallowTheNextOnes(_ key: Character) {
        var parser = TerminalInputParser()
        #expect(parser.parse("\u{1B}\(key)".utf8).isEmpty && parser.hasPendingKey)
        #expect(parser.endBurst() == .key(.character(key)) && !parser.hasPendingKey)
        #expect(parser.parse("q".utf8) == [.key(.character("q"))])
    }

    @Test func anAnswerThatIsCutOffEndsAtTheNextControlCharacter() {
        var parser = TerminalInputParser()
        #expect(parser.parse("\u{1B}_Gi=7;O".utf8).isEmpty)
        // The rest may still come.
        #expect(!parser.hasPendingKey)
        #expect(parser.endBurst() == nil)
        #expect(parser.parse("\rq".utf8) == [.key(.enter), .key(.character("q"))])
    }

    /// The same answers, however they are divided.
    @Test func partsOfAnySizeGiveTheSame() {
        let text =
            "a\u{1B}[?62;4c\u{1B}P>|x(1)\u{1B}\\é\u{1B}_Gi=7;OK\u{1B}\\\u{1B}[0n\u{1B}]11;rgb:ff/80/00\u{7}\u{1B}[6;20;9t"
        var whole = TerminalInputParser()
        let expected = whole.parse(text.utf8)
        #expect(expected.count == 8)
        for length in 1...9 {
            var parser = TerminalInputParser()
            var rest = Array(text.utf8)[...]
            var result: [TerminalInput] = []
            while !rest.isEmpty {
                result += parser.parse(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            #expect(result == expected)
        }
    }

    @Test func anEndlessStringIsForgotten() {
        var parser = TerminalInputParser()
        _ = parser.parse("\u{1B}P>|".utf8)
        for _ in 0..<100 { #expect(parser.parse(String(repeating: "x", count: 1000).utf8).isEmpty) }
        #expect(parser.parse("\u{1B}[0n".utf8) == [.ready])
    }

    @Test(arguments: ["-9223372036854775808;1", "1;-9223372036854775808", "0;0", "9223372036854775807;1", "1;1;1"])
    func positionsThatNoTerminalHasAreDropped(_ position: String) {
        var parser = TerminalInputParser()
        #expect(parser.parse("\u{1B}[\(position)R".utf8).isEmpty)
        #expect(parser.parse("\u{1B}[4;\(position)t\u{1B}[0n".utf8) == [.ready])
        #expect(parser.parse("\u{1B}[2;7R".utf8) == [.cursor(column: 6, row: 1)])
    }

    /// A byte of Latin-1, or a string that was truncated, is no key however long nothing follows.
    @Test(arguments: [[0xE9], [0x1B, 0x5F, 0x47]] as [[UInt8]]) func anIncompleteTextIsNoKey(_ bytes: [UInt8]) {
        var parser = TerminalInputParser()
        #expect(parser.parse(bytes).isEmpty && !parser.hasPendingKey && parser.endBurst() == nil)
    }

    /// Bytes that are mostly parts of control sequences, with numbers of all sizes.
    @Test func randomSequencesAreSurvived() {
        var random = SeededRandom.printed("terminal sequences")
        var parser = TerminalInputParser()
        let numbers = ["0", "1", "-1", "6", "4", "99999", "\(Int.max)", "\(Int.min)", "99999999999999999999", ""]
        for _ in 0..<20_000 {
            let values = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                numbers.randomElement(using: &random) ?? ""
            }
            let prefix = ["", "?", ">", "="].randomElement(using: &random) ?? ""
            let end = ["c", "y", "$y", "S", "t", "n", "R", "~", "A"].randomElement(using: &random) ?? ""
            _ = parser.parse("\u{1B}[\(prefix)\(values.joined(separator: ";"))\(end)".utf8)
        }
        #expect(parser.parse("\u{1B}[0n".utf8) == [.ready])
    }

    @Test func randomBytesAreSurvived() {
        var random = SeededRandom.printed("terminal input")
        var parser = TerminalInputParser()
        for _ in 0..<20_000 { _ = parser.parse([UInt8.random(in: 0...255, using: &random)]) }
        _ = parser.parse("\u{1B}\\".utf8)
        _ = parser.endBurst()
        #expect(parser.parse("\u{1B}[0n".utf8).last == .ready)
    }
}
