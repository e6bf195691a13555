/// Where a part lies in an image: which part a crop keeps, or where on a canvas an image or a watermark is put.
package enum Placement: String, CaseIterable, Hashable, Sendable {
    case center = "ce"
    case north = "no"
    case south = "so"
    case east = "ea"
    case west = "we"
    case northEast = "noea"
    case northWest = "nowe"
    case southEast = "soea"
    case southWest = "sowe"
    /// The part that attracts attention, which only the pixels tell.
    case smart = "sm"
    /// The part around a point.
    case focusPoint = "fp"
    /// Copies of a watermark in rows and columns.
    case tiles = "re"
    /// Copies of a watermark, every other row of them shifted by half a distance.
    case chessboard = "ch"

    /// The centre, the edges and the corners.
    static let anchors: [Placement] = [
        .center, .north, .south, .east, .west, .northEast, .northWest, .southEast, .southWest,
    ]
    /// The placements of a crop.
    static let ofCrop = anchors + [.smart, .focusPoint]
    /// The placements on a canvas.
    static let ofCanvas = anchors + [.focusPoint]
    /// The placements of a watermark.
    static let ofWatermark = anchors + [.tiles, .chessboard]

    var isNorthern: Bool { [.north, .northEast, .northWest].contains(self) }
    var isSouthern: Bool { [.south, .southEast, .southWest].contains(self) }
    var isEastern: Bool { [.east, .northEast, .southEast].contains(self) }
    var isWestern: Bool { [.west, .northWest, .southWest].contains(self) }
    /// Whether a watermark is repeated.
    var isRepeated: Bool { self == .tiles || self == .chessboard }
}

/// A placement and its offsets, or the coordinates of a focus point.
package struct GravityOption: Hashable, Sendable {
    /// Where the part lies.
    package var placement: Placement
    /// The distance to the right, or inwards from an eastern edge. From 1 on, and from −1 down, pixels; else a share of
    /// the width. For a focus point, its share of the width, from 0 to 1.
    package var x: Double
    /// The distance down, or inwards from a southern edge, with the same units.
    package var y: Double

    /// Creates a gravity.
    package init(_ placement: Placement = .center, x: Double = 0, y: Double = 0) {
        self.placement = placement
        self.x = x
        self.y = y
    }
}
