extension Orientation {
    /// As image files of ISO base media say it (ISO/IEC 23008-12, 6.5.10 and 6.5.12): turned, then mirrored.
    ///
    /// - Parameters:
    ///   - quarterTurns: anticlockwise.
    ///   - mirror: 0 exchanges top and bottom, 1 left and right.
    package init(quarterTurns: Int, mirror: Int?) {
        let turned: [Orientation] = [.up, .left, .down, .right]
        let upsideDown: [Orientation] = [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored]
        let sideways: [Orientation] = [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
        let table = mirror.map { $0 == 0 ? upsideDown : sideways } ?? turned
        self = table[quarterTurns & 3]
    }
}
