import Foundation
import Tintype

/// The result of one conversion, as `--json` writes it.
struct ConvertRecord: Encodable, Sendable {
    struct Output: Encodable, Sendable {
        let format: String
        let width: Int
        let height: Int
        let bytes: Int
        let milliseconds: Double
        /// `true` if only a part of the input could be decoded, otherwise `nil`.
        var isPartial: Bool?
    }

    let input: String
    /// The path of the output, if it is known; `-` for standard output.
    let output: String?
    let outcome: BatchOutcome
    var written: Output?
    var error: FetchRecord.Reason?
    /// The error or warning for a person, on one line. Not part of the JSON.
    var message: String?

    private enum CodingKeys: String, CodingKey {
        case input, output, outcome, error
        case format, width, height, bytes, milliseconds, isPartial
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(input, forKey: .input)
        try container.encodeIfPresent(output, forKey: .output)
        try container.encode(outcome.rawValue, forKey: .outcome)
        try container.encodeIfPresent(error, forKey: .error)
        try written?.encode(to: encoder)
    }

    /// The line of the human-readable output.
    var line: StyledText {
        let head = StyledText(outcome.rawValue.padded(8), outcome == .written ? .success : .secondary)
        let output = output ?? "?"
        guard let written else { return head + StyledText(output) }
        return head
            + StyledText(
                written.format.padded(6) + "\(written.width)×\(written.height)".padded(12)
                    + HumanFormat.bytes(written.bytes).padded(9)
                    + HumanFormat.duration(.seconds(written.milliseconds / 1000)).padded(9) + output)
    }
}

/// The output of `convert`: a record for each image, and progress on a terminal.
struct ConvertReport: Sendable {
    enum Style: Sendable {
        /// A line for each image, and a summary.
        case human
        /// A JSON object for each image.
        case json
        /// Failures only.
        case quiet
    }

    let style: Style
    let display: ProgressDisplay?

    /// - Throws: `TintypeError.Code.unwritable`.
    func add(_ record: ConvertRecord) throws(TintypeError) {
        display?.finish(bytes: record.written?.bytes ?? 0)
        guard let display else { return try write(record) }
        try display.interrupt { () throws(TintypeError) in try write(record) }
    }

    private func write(_ record: ConvertRecord) throws(TintypeError) {
        if let message = record.message {
            StandardError.write(message, style: record.outcome == .failed ? .failure : .warning)
        }
        switch style {
        case .json: try StandardOutput.write(json: record)
        case .human where record.outcome != .failed: try StandardOutput.write(record.line)
        case .human, .quiet: break
        }
    }

    /// Writes the summary, unless a script reads the records, or the user has interrupted the batch.
    func end(_ tally: BatchTally) throws(TintypeError) {
        display?.end()
        if style == .human, tally.remaining == 0 { try StandardOutput.write(tally.summary) }
    }
}
