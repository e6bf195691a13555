/// What pixels are to make up for, in sixteenths, of the row that is mapped and of the one below it.
struct DitherErrors {
    /// A colour with what it has to make up for.
    struct Wanted {
        var red: Int32
        var green: Int32
        var blue: Int32

        var word: UInt32 { UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000 }
    }

    private typealias Share = (red: Int32, green: Int32, blue: Int32)
    // A pixel more on either side, so that edges need no care.
    private var current: [Share]
    private var below: [Share]

    init(width: Int) {
        current = Array(repeating: (0, 0, 0), count: width + 2)
        below = current
    }

    /// Within the bounds of a channel.
    func applied(to word: UInt32, _ x: Int) -> Wanted {
        let error = current[x + 1]
        func channel(_ value: UInt32, _ error: Int32) -> Int32 {
            min(max(Int32(value & 255) + (error + 8) >> 4, 0), 255)
        }
        return Wanted(
            red: channel(word, error.red), green: channel(word >> 8, error.green),
            blue: channel(word >> 16, error.blue))
    }

    /// Hands the error on: 7, 3, 5 and 1 sixteenths of it to the next pixel and to those below.
    mutating func spread(_ wanted: Wanted, _ color: UInt32, _ x: Int, _ step: Int) {
        let error: Share = (
            wanted.red - Int32(color & 255), wanted.green - Int32(color >> 8 & 255),
            wanted.blue - Int32(color >> 16 & 255)
        )
        Self.add(error, 7, to: &current[x + 1 + step])
        Self.add(error, 3, to: &below[x + 1 - step])
        Self.add(error, 5, to: &below[x + 1])
        Self.add(error, 1, to: &below[x + 1 + step])
    }

    private static func add(_ error: Share, _ part: Int32, to target: inout Share) {
        target.red += error.red * part
        target.green += error.green * part
        target.blue += error.blue * part
    }

    mutating func endRow() {
        swap(&current, &below)
        for index in below.indices { below[index] = (0, 0, 0) }
    }
}
