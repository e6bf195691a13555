import Foundation
import Testing

@testable import TintypeHTTP

/// The end of the first blank line, in bytes that arrive in two pieces.
@Suite struct ReceivedTailTests {
    /// All texts of up to eight characters that can contain a blank line, and each way to cut them.
    @Test func theFirstBlankLineIsFoundWhereverTheBytesAreCut() {
        for length in 0...8 {
            for number in 0..<Int(pow(3, Double(length))) {
                let text = Self.text(number, length)
                for cut in 0...length { check(text, cut) }
            }
        }
    }

    private func check(_ text: [UInt8], _ cut: Int) {
        var tail = ReceivedTail()
        text[..<cut].withUnsafeBytes { tail.append($0) }
        let found = text[cut...].withUnsafeBytes { tail.firstBlankLine(in: $0) }
        // A blank line that ended before the cut is not looked for.
        let expected = (cut..<text.count).first { $0 >= 3 && Array(text[($0 - 3)...$0]) == Array("\r\n\r\n".utf8) }
        #expect(found == expected.map { $0 - cut + 1 }, "\(text) cut at \(cut)")
    }

    private static func text(_ number: Int, _ length: Int) -> [UInt8] {
        var rest = number
        return (0..<length).map { _ in
            defer { rest /= 3 }
            return Array("\r\na".utf8)[rest % 3]
        }
    }
}
