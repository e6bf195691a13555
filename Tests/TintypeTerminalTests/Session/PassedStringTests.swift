import Testing
import TintypeCore

@testable import TintypeTerminal

/// Strings that tmux passes on to its terminal, and that are truncated when a session ends.
@Suite struct PassedStringTests {
    /// The states of a terminal as far as they concern strings, and what it passes on. A pure struct.
    private struct Strings {
        private(set) var isInString = false
        private(set) var passedOn: [UInt8] = []
        private(set) var text: [UInt8] = []
        private var isEscape = false
        private var content: [UInt8] = []
        /// The bytes after an escape that begin a string.
        let introducers: Set<UInt8>

        init(_ introducers: String) { self.introducers = Set(introducers.utf8) }

        mutating func write(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { isInString ? addContent(byte) : addText(byte) }
        }

        private mutating func addText(_ byte: UInt8) {
            defer { isEscape = byte == 0x1B }
            if isEscape {
                isInString = introducers.contains(byte)
            } else if byte != 0x1B {
                text.append(byte)
            }
        }

        /// In a string, an escape is part of it unless a backslash follows; a doubled one counts once.
        private mutating func addContent(_ byte: UInt8) {
            guard isEscape else {
                isEscape = byte == 0x1B
                if !isEscape { content.append(byte) }
                return
            }
            isEscape = false
            guard byte == UInt8(ascii: "\\") else { return content.append(byte) }
            let prefix = Array("tmux;".utf8)
            if content.starts(with: prefix) { passedOn += content.dropFirst(prefix.count) }
            (isInString, content) = (false, [])
        }
    }

    @Test func aStringIsEndedWhereverItWasCutOff() {
        let frame = Array("a\u{1B}Ptmux;\u{1B}\u{1B}_Ga=T,m=1;AAAA\u{1B}\u{1B}\\\u{1B}\\b".utf8)
        for count in 0...frame.count {
            var (tmux, terminal) = (Strings("P"), Strings("_"))
            tmux.write(frame.prefix(count))
            tmux.write((ControlSequence.endOfPassedString + "z").utf8)
            terminal.write(tmux.passedOn)
            #expect(!tmux.isInString && !terminal.isInString, "\(count)")
            #expect(tmux.text.last == UInt8(ascii: "z"), "\(count)")
        }
    }

    @Test func theEndOfASessionEndsThem() throws {
        var capabilities = TerminalCapabilities(size: TerminalSize(columns: 80, rows: 24), colors: .trueColor)
        capabilities.hasPlaceholders = true
        for (output, isEnded) in [(TerminalScreen.FormerOutput.cutOff, true), (.complete, false)] {
            let core = SessionCore(
                capabilities, screen: .main, restingRow: nil, device: try PseudoTerminal().device, time: .system,
                onKey: { _ in })
            let end = String(decoding: core.restoration(after: output), as: UTF8.self)
            #expect(end.hasPrefix(ControlSequence.endOfPassedString) == isEnded)
        }
    }
}
