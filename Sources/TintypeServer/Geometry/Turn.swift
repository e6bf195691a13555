import TintypeCore

/// A rotation and then a mirroring: what the eight orientations are, in a form that can be composed.
struct Turn: Hashable, Sendable {
    /// The number of clockwise rotations by 90°, from 0 to 3.
    private(set) var quarters = 0
    /// Whether left and right are exchanged after the rotation.
    private(set) var isMirrored = false

    /// The turn that makes an image upright that is stored in an orientation.
    init(_ orientation: Orientation) {
        (quarters, isMirrored) =
            switch orientation {
            case .up: (0, false)
            case .upMirrored: (0, true)
            case .down: (2, false)
            case .downMirrored: (2, true)
            case .leftMirrored: (1, true)
            case .right: (1, false)
            case .rightMirrored: (3, true)
            case .left: (3, false)
            }
    }

    /// Adds a clockwise rotation by a multiple of 90°.
    mutating func rotate(degrees: Int) {
        // Mirrored, an image turns the other way.
        let turns = degrees / 90 % 4
        quarters = (quarters + (isMirrored ? 4 - turns : turns) + 4) % 4
    }

    /// Adds an exchange of left and right, or of top and bottom.
    mutating func flip(_ flip: FlipOption) {
        if flip.isHorizontal { isMirrored.toggle() }
        if flip.isVertical {
            // Top and bottom are exchanged by an exchange of left and right and half a turn.
            isMirrored.toggle()
            quarters = (quarters + 2) % 4
        }
    }

    /// The turn as an orientation.
    var orientation: Orientation { Orientation(quarterTurns: -quarters & 3, mirror: isMirrored ? 1 : nil) }
}
