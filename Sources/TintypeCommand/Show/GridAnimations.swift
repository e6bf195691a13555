import Tintype
import TintypeTerminal

/// The animations of a grid that may still be on the screen when the last row has been printed.
///
/// Animations that have scrolled off the screen are forgotten, so that a long grid needs little memory.
struct GridAnimations {
    /// The number of rows of the screen. The cursor takes the last one.
    private let screenRows: Int
    /// The animations, placed relative to the line below the last one that was printed.
    private var animations: [PlacedAnimation] = []

    init(screenRows: Int) {
        self.screenRows = screenRows
    }

    var isEmpty: Bool { animations.isEmpty }

    /// Adds a row of images, below those that were printed before.
    ///
    /// - Parameters:
    ///   - row: Its animations, placed relative to its first line.
    ///   - lineCount: The number of its lines.
    mutating func add(_ row: [PlacedAnimation], lineCount: Int) {
        // The first line of the new row is the line below the former ones.
        animations = (animations + row).map { $0.moved(by: -lineCount) }
        animations.removeAll { !$0.isVisible(above: screenRows - 1) }
    }

    /// Returns the animations of which a part is on the screen.
    ///
    /// - Parameter row: The row below the last line of the grid.
    func visible(above row: Int) -> [PlacedAnimation] {
        animations.filter { $0.isVisible(above: row) }.map { $0.moved(by: row) }
    }
}

extension PlacedAnimation {
    fileprivate func moved(by rows: Int) -> PlacedAnimation {
        var copy = self
        copy.rect.row += rows
        return copy
    }

    /// Whether a part is on the screen, for a place relative to a row.
    fileprivate func isVisible(above row: Int) -> Bool { row + rect.row + rect.span.rows > 0 }
}
