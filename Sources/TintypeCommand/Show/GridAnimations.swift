import Tintype
import TintypeTerminal

/// The animations of a grid that may still be on the screen when the last row has been printed.
///
/// Animations that have scrolled off the screen are forgotten, so that a long grid needs little memory. Those that do
/// not fit into the memory beside newer ones show their first frame.
struct GridAnimations {
    /// The largest sum of what the animations need, each its canvas and its encoded frames, in bytes.
    private let memoryLimit: Int
    /// The number of rows of the screen. The cursor takes the last one.
    private let screenRows: Int
    /// The animations, placed relative to the line below the last one that was printed.
    private var animations: [PlacedAnimation] = []
    /// The positions of the animations that show their first frame.
    private var stills: [CellRect] = []

    init(screenRows: Int, memoryLimit: Int = 256 << 20) {
        self.screenRows = screenRows
        self.memoryLimit = memoryLimit
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
        stills = stills.map { $0.moved(by: -lineCount) }
        animations.removeAll { !$0.rect.isVisible(above: screenRows - 1) }
        stills.removeAll { !$0.isVisible(above: screenRows - 1) }
        limitMemory()
    }

    private mutating func limitMemory() {
        var rest = memoryLimit
        var played: [PlacedAnimation] = []
        for animation in animations.reversed() {
            let cost = animation.frames.memoryCost
            guard cost <= rest else {
                stills.append(animation.rect)
                continue
            }
            rest -= cost
            played.append(animation)
        }
        animations = played.reversed()
    }

    /// Returns the animations of which a part is on the screen.
    ///
    /// - Parameter row: The row below the last line of the grid.
    func visible(above row: Int) -> [PlacedAnimation] {
        animations.filter { $0.rect.isVisible(above: row) }.map { $0.moved(by: row) }
    }

    /// The line about animations on the screen that do not play; `nil` if all play.
    var note: String? {
        guard !stills.isEmpty else { return nil }
        return "tintype: animations that show only their first frame, because playing all needs more than "
            + "\(memoryLimit >> 20) MB: \(stills.count)"
    }
}

extension PlacedAnimation {
    fileprivate func moved(by rows: Int) -> PlacedAnimation {
        var copy = self
        copy.rect = rect.moved(by: rows)
        return copy
    }
}

extension CellRect {
    fileprivate func moved(by rows: Int) -> CellRect {
        var copy = self
        copy.row += rows
        return copy
    }

    /// Whether a part is on the screen, for a position relative to a row.
    fileprivate func isVisible(above row: Int) -> Bool { row + self.row + span.rows > 0 }
}
