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
        #expect(!parser.isIncomplete)
    }

    @Test func aLoneEscapeIsAKeyOnceTheBurstEnds() {
        var parser = TerminalInputParser()
        #expect(parser.parse("\u{1B}".utf8).isEmpty && parser.isIncomplete)
        #expect(parser.endBurst() == .key(.escape) && parser.endBurst() == nil)
        #expect(parser.parse("A".utf8) == [.key(.character("A"))])
    }

    /// A terminal sends such a key as an escape and the character, which also begins a sequence.
    @Test(arguments: ["X", "]", "P", "_", "^", "[", "O"])
    func aKeyPressedWithAltDoesNotSwallowTheNextOnes(_ key: Character) {
        var parser = TerminalInputParser()
        #expect(parser.parse("\u{1B}\(key)".utf8).isEmpty && parser.isIncomplete)
        #expect(parser.endBurst() == .key(.character(key)) && !parser.isIncomplete)
        #expect(parser.parse("q".utf8) == [.key(.character("q"))])
    }

    @Test func anAnswerThatIsCutOffEndsAtTheNextControlCharacter() {
        var parser = TerminalInputParser()
        #expect(parser.parse("\u{1B}_Gi=7;O".utf8).isEmpty)
        // The rest may still come.
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

    @Test func randomBytesAreSurvived() {
        var random = SeededRandom.printed("terminal input")
        var parser = TerminalInputParser()
        for _ in 0..<20_000 { _ = parser.parse([UInt8.random(in: 0...255, using: &random)]) }
        _ = parser.parse("\u{1B}\\".utf8)
        _ = parser.endBurst()
        #expect(parser.parse("\u{1B}[0n".utf8).last == .ready)
    }
}
