/// The characters by which a terminal shows images of the kitty protocol as text (*Unicode placeholders* in its
/// specification).
///
/// A cell with U+10EEEE shows a part of an image. Combining marks name the row and the column of the part, counted in
/// cells. The number of the image is in the colour of the character and in a third mark. A program between, such as
/// tmux, moves and clips these cells like other text.
enum KittyPlaceholders {
    private static let placeholder: Unicode.Scalar = "\u{10EEEE}"

    /// The largest number of rows or columns of an image.
    static let limit = marks.count

    /// Returns the cells for an image: an image that is larger is scaled to them.
    static func fitted(_ span: CellSpan) -> CellSpan {
        CellSpan(columns: min(span.columns, limit), rows: min(span.rows, limit))
    }

    // MARK: Numbers

    /// The colours 16 to 255. tmux passes on the others in another form, and colours of 24 bits only to some terminals.
    private static let colorCount: UInt32 = 240
    /// The numbers of images with a highest byte that is not zero.
    private static let numberCount = colorCount * 255

    /// Returns the number of an image in the terminal, of which the two bytes in the middle are zero: one of the 256
    /// colours names the lowest byte, and a mark names the highest.
    ///
    /// - Parameters:
    ///   - image: The number that the session or the program uses.
    ///   - isSecond: Whether to return the other one of the two numbers of the image.
    static func number(of image: UInt32, isSecond: Bool = false) -> UInt32 {
        let index = image % (numberCount / 2) * 2 + (isSecond ? 1 : 0)
        return (1 + index / colorCount) << 24 | (16 + index % colorCount)
    }

    // MARK: Cells

    /// Returns the characters of one row of an image.
    ///
    /// Each cell has all its marks. It could inherit them from the cell to its left, but tmux may draw it alone.
    static func row(_ row: Int, columns: Int, number: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append("\u{1B}[38;5;\(number & 0xFF)m")
        for column in 0..<columns {
            for scalar in [placeholder, marks[row], marks[column], marks[Int(number >> 24)]] {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append("\u{1B}[39m")
        return bytes
    }

    /// The marks for the numbers from 0.
    ///
    /// They are those of Unicode 6.0 that stand above their character (combining class 230), have no decomposition, and
    /// do not merge with others when text is normalized (`rowcolumn-diacritics.txt` of the specification).
    static let marks: [Unicode.Scalar] = markRanges.flatMap { first, last in
        (first...last).compactMap { Unicode.Scalar($0) }
    }

    /// The first and the last of those that follow each other.
    private static let markRanges: [(UInt32, UInt32)] = [
        (0x0305, 0x0305), (0x030D, 0x030E), (0x0310, 0x0310), (0x0312, 0x0312), (0x033D, 0x033F), (0x0346, 0x0346),
        (0x034A, 0x034C), (0x0350, 0x0352), (0x0357, 0x0357), (0x035B, 0x035B), (0x0363, 0x036F), (0x0483, 0x0487),
        (0x0592, 0x0595), (0x0597, 0x0599), (0x059C, 0x05A1), (0x05A8, 0x05A9), (0x05AB, 0x05AC), (0x05AF, 0x05AF),
        (0x05C4, 0x05C4), (0x0610, 0x0617), (0x0657, 0x065B), (0x065D, 0x065E), (0x06D6, 0x06DC), (0x06DF, 0x06E2),
        (0x06E4, 0x06E4), (0x06E7, 0x06E8), (0x06EB, 0x06EC), (0x0730, 0x0730), (0x0732, 0x0733), (0x0735, 0x0736),
        (0x073A, 0x073A), (0x073D, 0x073D), (0x073F, 0x0741), (0x0743, 0x0743), (0x0745, 0x0745), (0x0747, 0x0747),
        (0x0749, 0x074A), (0x07EB, 0x07F1), (0x07F3, 0x07F3), (0x0816, 0x0819), (0x081B, 0x0823), (0x0825, 0x0827),
        (0x0829, 0x082D), (0x0951, 0x0951), (0x0953, 0x0954), (0x0F82, 0x0F83), (0x0F86, 0x0F87), (0x135D, 0x135F),
        (0x17DD, 0x17DD), (0x193A, 0x193A), (0x1A17, 0x1A17), (0x1A75, 0x1A7C), (0x1B6B, 0x1B6B), (0x1B6D, 0x1B73),
        (0x1CD0, 0x1CD2), (0x1CDA, 0x1CDB), (0x1CE0, 0x1CE0), (0x1DC0, 0x1DC1), (0x1DC3, 0x1DC9), (0x1DCB, 0x1DCC),
        (0x1DD1, 0x1DE6), (0x1DFE, 0x1DFE), (0x20D0, 0x20D1), (0x20D4, 0x20D7), (0x20DB, 0x20DC), (0x20E1, 0x20E1),
        (0x20E7, 0x20E7), (0x20E9, 0x20E9), (0x20F0, 0x20F0), (0x2CEF, 0x2CF1), (0x2DE0, 0x2DFF), (0xA66F, 0xA66F),
        (0xA67C, 0xA67D), (0xA6F0, 0xA6F1), (0xA8E0, 0xA8F1), (0xAAB0, 0xAAB0), (0xAAB2, 0xAAB3), (0xAAB7, 0xAAB8),
        (0xAABE, 0xAABF), (0xAAC1, 0xAAC1), (0xFE20, 0xFE26), (0x10A0F, 0x10A0F), (0x10A38, 0x10A38),
        (0x1D185, 0x1D189),
        (0x1D1AA, 0x1D1AD), (0x1D242, 0x1D244),
    ]
}
