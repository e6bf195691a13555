/// Turns a picture upright that is stored with another orientation.
struct OrientationTransformer: ImageTransformer {
    let orientation: Orientation

    init(_ orientation: Orientation) {
        self.orientation = orientation
    }

    var identifier: String { "orient(\(orientation.rawValue))" }

    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        try pixels.oriented(orientation)
    }
}
