/// A text in which each `*` stands for any number of bytes other than `/`.
///
/// Time and memory are proportional to the length of the text times the number of wildcards: a text is an attacker's
/// choice, and trying one end of a wildcard after the other takes a time that is exponential in their number.
struct WildcardPattern: Hashable, Sendable {
    /// The texts between the wildcards; one if there is no wildcard.
    private let literals: [[UInt8]]

    /// Creates a pattern from its text.
    init(_ text: String) {
        literals = text.parts(separatedBy: "*").map { Array($0.utf8) }
    }

    /// Whether the pattern matches a whole text.
    func matches(_ text: String) -> Bool {
        let text = Array(text.utf8)
        return starts(in: text, isWhole: true)[0][0]
    }

    /// Matches the beginning of a text. Earlier wildcards take as many bytes as they can.
    ///
    /// - Returns: What the wildcards stand for, and the rest of the text; `nil` if there is no match.
    func matchPrefix(of text: String) -> (wildcards: [String], rest: String)? {
        let text = Array(text.utf8)
        let starts = starts(in: text, isWhole: false)
        guard starts[0][0] else { return nil }
        var (wildcards, end) = ([String](), literals[0].count)
        for (literal, start) in zip(literals, starts).dropFirst() {
            let run = text[end...].prefix { $0 != UInt8(ascii: "/") }
            let next = (end...run.endIndex).last { start[$0] } ?? end
            wildcards.append(String(decoding: text[end..<next], as: UTF8.self))
            end = next + literal.count
        }
        return (wildcards, String(decoding: text[end...], as: UTF8.self))
    }

    /// Returns, for each literal, at which positions of a text it can be so that the rest of the pattern matches.
    private func starts(in text: [UInt8], isWhole: Bool) -> [[Bool]] {
        var table: [[Bool]] = []
        // Where the part of the pattern after the literal can begin, with the wildcard before it.
        var rest = (0...text.count).map { !isWhole || $0 == text.count }
        for literal in literals.reversed() {
            let starts = (0...text.count).map { position in
                position + literal.count <= text.count && rest[position + literal.count]
                    && text[position..<position + literal.count].elementsEqual(literal)
            }
            table.append(starts)
            rest = starts
            for position in text.indices.reversed() where text[position] != UInt8(ascii: "/") {
                rest[position] = rest[position] || rest[position + 1]
            }
        }
        return table.reversed()
    }
}
