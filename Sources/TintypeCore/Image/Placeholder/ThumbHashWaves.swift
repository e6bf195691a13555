/// Which waves of a channel a ``ThumbHash`` keeps: those below the diagonal, without the flat one.
enum ThumbHashWaves {
    static let color = PixelSize(width: 3, height: 3)
    static let alpha = PixelSize(width: 5, height: 5)

    /// Each wave's numbers across and down, in the order in which they are stored.
    static func all(_ waves: PixelSize) -> [(across: Int, down: Int)] {
        (0..<waves.height).flatMap { down in
            ((down == 0 ? 1 : 0)..<waves.width)
                .filter { $0 * waves.height < waves.width * (waves.height - down) }
                .map { ($0, down) }
        }
    }

    static func count(_ waves: PixelSize) -> Int { all(waves).count }
}
