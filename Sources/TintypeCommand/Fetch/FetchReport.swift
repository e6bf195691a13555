import Foundation
import Tintype

/// What a person or a program is told while sources are fetched.
final class FetchReport: Sendable {
    enum Style: Sendable {
        /// A line a source, and progress on a terminal.
        case human
        /// A JSON object a source.
        case json
        /// Failures only.
        case quiet
    }

    private let style: Style
    private let showsMetrics: Bool
    private let display: ProgressDisplay?

    init(style: Style, showsMetrics: Bool, showsProgress: Bool) {
        self.style = style
        self.showsMetrics = showsMetrics
        display = showsProgress ? ProgressDisplay() : nil
    }

    func begin(total: Int) { display?.begin(total: total) }
    func end() { display?.end() }

    func update(_ source: SourceArgument, _ progress: LoadProgress) {
        display?.update(source.text, progress)
    }

    func tell(_ record: FetchRecord, of source: SourceArgument, times: Int) {
        display?.finish(source.text, times: times)
        for _ in 0..<times { tell(record) }
    }

    private func tell(_ record: FetchRecord) {
        let record = showsMetrics ? record : record.withoutMetrics
        if let warning = record.warning { say { StandardError.write(warning) } }
        if style == .json { say { StandardOutput.write(json: record) } }
        switch (record, style) {
        case (.failed, _): say { StandardError.write(record.line) }
        case (.loaded, .human): say { record.lines.forEach { StandardOutput.write($0) } }
        case (.loaded, _): break
        }
    }

    private func say(_ body: () -> Void) {
        if let display { display.interrupt(body) } else { body() }
    }
}
