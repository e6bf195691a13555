import Foundation
import TintypeCore

/// One question to the controlling terminal, outside of a session.
package enum TerminalQuestion {
    /// The time to wait for an answer. A terminal that draws a large image answers late.
    private static let patience = Duration.seconds(2)

    /// Waits until the terminal has processed what was written before.
    package static func waitUntilProcessed() {
        guard let device = try? TerminalDevice() else { return }
        let _: Bool? = ask(ControlSequence.requestStatus, device) { $0 == .ready ? true : nil }
    }

    /// Returns the position of the cursor; `nil` if the terminal does not report it.
    package static func cursor(_ device: TerminalDevice) -> (column: Int, row: Int)? {
        ask("\u{1B}[6n", device) { input in
            if case .cursor(let column, let row) = input { (column, row) } else { nil }
        }
    }

    /// Writes a question, and reads until `answer` recognises the answer. Keys that are pressed meanwhile are lost.
    private static func ask<Answer>(
        _ question: String, _ device: TerminalDevice, _ answer: (TerminalInput) -> Answer?
    ) -> Answer? {
        (try? device.inRawMode { reply(to: question, device, answer) }) ?? nil
    }

    private static func reply<Answer>(
        to question: String, _ device: TerminalDevice, _ answer: (TerminalInput) -> Answer?
    ) -> Answer? {
        let end = ContinuousClock.now + patience
        device.write(Array(question.utf8), until: end)
        var parser = TerminalInputParser()
        while Polling.wait(for: [device.descriptor], until: end) != nil {
            guard let bytes = device.read() else { return nil }
            for input in parser.parse(bytes) {
                if let result = answer(input) { return result }
            }
        }
        return nil
    }
}
