import Tintype

/// What is under way, and how it looks on a terminal.
struct ProgressState: Sendable {
    private var total = 0
    private var finished = 0
    private var receivedBefore = 0
    private var running: [String: LoadProgress] = [:]
    private var order: [String] = []

    /// Lines that are shown at most; the total is one more.
    private static let maximumLines = 12

    mutating func begin(total: Int) { self.total = total }

    mutating func update(_ name: String, _ progress: LoadProgress) {
        if running.updateValue(progress, forKey: name) == nil { order.append(name) }
    }

    mutating func finish(_ name: String, times: Int) {
        finished += times
        guard let progress = running.removeValue(forKey: name) else { return }
        receivedBefore += progress.received
        order.removeAll { $0 == name }
    }

    /// One line a running transfer, then the total; none longer than the terminal is wide.
    func lines(columns: Int) -> [String] {
        let shown = order.prefix(Self.maximumLines).compactMap { name in
            running[name].map { Self.line(name, $0, columns) }
        }
        let received = running.values.reduce(receivedBefore) { $0 + $1.received }
        return shown + [String("\(finished) of \(total) done, \(HumanFormat.bytes(received))".prefix(columns - 1))]
    }

    private static func line(_ name: String, _ progress: LoadProgress, _ columns: Int) -> String {
        let amount =
            progress.expected.map { "\(HumanFormat.bytes(progress.received)) of \(HumanFormat.bytes($0))" }
            ?? HumanFormat.bytes(progress.received)
        let head = "\(bar(progress.fraction)) \(amount.padding(18)) "
        return String((head + shortened(name, to: max(8, columns - head.count - 1))).prefix(columns - 1))
    }

    private static func bar(_ fraction: Double?) -> String {
        let width = 16
        guard let fraction else { return String(repeating: "·", count: width) }
        let full = Int((fraction * Double(width)).rounded(.down))
        return String(repeating: "━", count: full) + String(repeating: "╌", count: width - full)
    }

    /// The end of a URL tells more than its beginning.
    private static func shortened(_ name: String, to length: Int) -> String {
        let printable = String(name.suffix(4 * length).map { $0.isASCII && !$0.isLetter && $0 < " " ? "?" : $0 })
        return printable.count <= length && name.count <= 4 * length ? printable : "…" + printable.suffix(length - 1)
    }
}

extension String {
    fileprivate func padding(_ width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self
    }
}
