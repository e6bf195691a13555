import Foundation

/// Waves along one side of a picture.
struct Cosines {
    private let table: [Double]
    private let length: Int

    /// - Parameters:
    ///   - count: waves, from the flat one on, each half a period longer than the last.
    ///   - offset: where in a pixel its value is taken: 0 at its beginning, as BlurHash does, 0.5 in its middle.
    init(_ count: Int, length: Int, offset: Double) {
        self.length = length
        table = (0..<count).flatMap { wave in
            (0..<length).map { cos(.pi * Double(wave) * (Double($0) + offset) / Double(length)) }
        }
    }

    subscript(wave: Int, place: Int) -> Double { table[wave * length + place] }
}
