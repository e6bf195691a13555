import Foundation
import Testing

@testable import TintypeCore

/// Text from outside, as terminals and logs show it.
@Suite struct PrintableTextTests {
    private func isPrintable(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { $0.isPrintable } }

    @Test(arguments: [
        // Nothing to escape.
        ("", ""), ("plain text, 100 %", "plain text, 100 %"), ("é ü 文字 עברית", "é ü 文字 עברית"),
        // Emoji and scripts need joiners and variation selectors.
        ("👩‍👩‍👧 ❤️ می‌خواهم", "👩‍👩‍👧 ❤️ می‌خواهم"),
        // C0, DEL and C1 controls. U+009B begins a control sequence, like ESC and [.
        ("a\nb\r\n\tc", "a\\nb\\r\\n\\tc"), ("\u{1B}[2J", "\\u{1B}[2J"), ("\u{0}\u{7F}", "\\u{0}\\u{7F}"),
        ("\u{9B}31m\u{85}", "\\u{9B}31m\\u{85}"),
        // Bidirectional controls.
        ("photo\u{202E}gpj.exe", "photo\\u{202E}gpj.exe"),
        ("\u{2066}\u{2069}\u{200F}\u{61C}", "\\u{2066}\\u{2069}\\u{200F}\\u{61C}"),
        // Line breaks of Unicode, and invisible characters.
        ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
        ("a\u{200B}\u{FEFF}\u{AD}\u{3164}", "a\\u{200B}\\u{FEFF}\\u{AD}\\u{3164}"),
        ("\u{E0041}", "\\u{E0041}"),
    ]) func charactersThatActOrHideAreEscaped(_ text: String, _ expected: String) {
        #expect(text.printable == expected)
        #expect(isPrintable(text.printable))
    }

    @Test(
        arguments: [
            ([], ""), (Array("é 文\\x".utf8), "é 文\\x"), ([0xFF, 0xFE, 0x2E], "\\xFF\\xFE."),
            // An overlong form, a surrogate, and sequences that end early.
            ([0xC0, 0x80], "\\xC0\\x80"), ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"),
            ([0x61, 0xE6, 0x96, 0x62, 0xF0, 0x9F, 0x98], "a\\xE6\\x96b\\xF0\\x9F\\x98"),
        ] as [([UInt8], String)])
    func bytesThatAreNotUTF8AreEscaped(_ bytes: [UInt8], _ expected: String) {
        #expect(String(escapingCString: bytes.map { CChar(bitPattern: $0) } + [0]) == expected)
    }

    @Test func jsonStaysTheSameValue() throws {
        let text = "a\n\u{1B}\u{9B}\u{7F}\u{202E}\u{2028}\u{E0041}\"\\é"
        let json = String(decoding: try JSONEncoder().encode([text]), as: UTF8.self)
        #expect(!isPrintable(json), "the encoder leaves some as they are")
        #expect(isPrintable(json.printableJSON))
        #expect(try JSONDecoder().decode([String].self, from: Data(json.printableJSON.utf8)) == [text])
    }

    @Test func anErrorIsOneShortPrintableLine() {
        let hostile = "\n\u{1B}]0;x\u{7}\u{202E}" + String(repeating: "a\u{301}", count: 1 << 20)
        let error = TintypeError(.transport, stage: .load, "a field \(hostile)", subject: hostile)
        #expect(isPrintable(error.description))
        #expect(error.description.utf8.count < 4000)
        #expect(error.description.hasSuffix("… [transport, load]"))
        // Combining marks on one character do not escape the limit.
        let marks = TintypeError(
            .notFound, stage: .load, "x", subject: "a" + String(repeating: "\u{301}", count: 1 << 20))
        #expect(marks.description.utf8.count < 4000)
    }

    @Test(arguments: [("abc", 3, "abc"), ("abcd", 3, "abc…"), ("äöü", 3, "äöü"), ("äöüß", 3, "äöü…"), ("", 0, "")])
    func textIsAbbreviatedByScalars(_ text: String, _ count: Int, _ expected: String) {
        #expect(text.abbreviated(to: count) == expected)
    }
}
