/// Rows of cells in columns as wide as their widest cell.
struct TextTable {
    enum Alignment {
        case left
        case right
    }

    let columns: [(title: String, alignment: Alignment)]
    var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        self.columns = columns
    }

    /// The title row, a rule, then the rows.
    var lines: [String] {
        let widths = columns.indices.map { column in
            ([columns[column].title] + rows.map { $0[column] }).map(\.count).max() ?? 0
        }
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
        return [line(columns.map(\.title), widths), rule] + rows.map { line($0, widths) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { column in
            let space = String(repeating: " ", count: widths[column] - cells[column].count)
            return columns[column].alignment == .left ? cells[column] + space : space + cells[column]
        }
        return padded.joined(separator: "  ").trimmedAtEnd
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
