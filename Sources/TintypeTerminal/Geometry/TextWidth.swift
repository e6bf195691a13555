import TintypeCore

extension String {
    /// The number of cells that a terminal needs for the text.
    ///
    /// Terminals disagree on sequences that are joined to one emoji. Their parts are counted, so that a text is rather
    /// too short for its column than too long.
    var cellCount: Int { unicodeScalars.reduce(0) { $0 + $1.cellCount } }

    /// Returns the text, or its beginning and an ellipsis if it needs more than `count` cells.
    func fitted(toCells count: Int) -> String {
        // Most texts are short, and no character needs more cells than it has bytes.
        guard count > 0 else { return "" }
        guard utf8.count > count else { return self }
        // Marks that need no cells are limited as well.
        let text = abbreviated(to: 4 * count)
        guard text.cellCount > count else { return text }
        var (beginning, rest) = (String.UnicodeScalarView(), count - 1)
        for scalar in text.unicodeScalars {
            rest -= scalar.cellCount
            guard rest >= 0 else { break }
            beginning.append(scalar)
        }
        return String(beginning) + "…"
    }
}

extension Unicode.Scalar {
    /// The number of cells that a terminal needs for the character: 0, 1 or 2 (Unicode Standard Annex #11, and
    /// wcwidth(3)).
    fileprivate var cellCount: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        // Combining marks, joiners and variation selectors.
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return properties.isEmojiPresentation || Self.isWide(value) ? 2 : 1
        }
    }

    /// Whether a character is wide or full-width by its block.
    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        return switch value {
        // Initial consonants of Hangul; radicals, kana, ideographs, Yi; Hangul; compatibility and full-width forms.
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6:
            true
        // Tangut, Khitan, Nushu, old kana; enclosed ideographs; the planes of ideographs.
        case 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x3FFFD: true
        default: false
        }
    }
}
