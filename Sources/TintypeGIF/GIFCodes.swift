/// The codes of a GIF's image, which may come a few bytes at a time (GIF89a, appendix F): giflib cannot wait for more.
struct GIFCodes: Sendable {
    private let clear: Int
    private let firstWidth: Int
    /// Of each code the one that it continues, and the value that it ends with.
    private var prefixes = [UInt16](repeating: 0, count: Self.most)
    private var lasts = [UInt8](repeating: 0, count: Self.most)
    /// The values of a code, the last one first.
    private var values: [UInt8] = []
    private var next: Int
    private var width: Int
    private var previous: Int?
    /// Bits that make no whole code yet, the lowest first.
    private var bits = 0
    private var bitCount = 0
    /// Whether nothing more is decoded: the image has ended, or is damaged.
    private(set) var isEnded = false

    private static let most = 1 << widest
    private static let widest = 12

    /// - Parameter codeSize: bits of a value.
    /// - Returns: `nil` for what no image has.
    init?(codeSize: Int) {
        guard (1...8).contains(codeSize) else { return nil }
        clear = 1 << codeSize
        firstWidth = codeSize + 1
        (next, width) = (clear + 2, firstWidth)
        for value in 0..<clear { lasts[value] = UInt8(value) }
    }

    /// Decodes the next bytes.
    ///
    /// - Parameter body: is given the values, in order.
    mutating func decode(_ bytes: some Sequence<UInt8>, _ body: (UInt8) -> Void) {
        for byte in bytes {
            bits |= Int(byte) << bitCount
            bitCount += 8
            while bitCount >= width && !isEnded {
                let code = bits & (1 << width - 1)
                bits >>= width
                bitCount -= width
                take(code, body)
            }
            if isEnded { return }
        }
    }

    private mutating func take(_ code: Int, _ body: (UInt8) -> Void) {
        if code == clear {
            (next, width, previous) = (clear + 2, firstWidth, nil)
        } else if code == clear + 1 || !isKnown(code) {
            isEnded = true
        } else {
            collect(code)
            for value in values.reversed() { body(value) }
            previous = code
            if next >= 1 << width && width < Self.widest { width += 1 }
        }
    }

    /// One that is about to be known stands for the last one and its own beginning.
    private func isKnown(_ code: Int) -> Bool {
        guard previous != nil else { return code < clear }
        return code < next || code == next && next < Self.most
    }

    /// Finds the values of a code, and notes the one that it completes.
    private mutating func collect(_ code: Int) {
        values.removeAll(keepingCapacity: true)
        if code == next, let previous {
            // What it ends with is what the last one begins with, which is not known before the end of this.
            values.append(0)
            follow(previous)
            values[0] = values[values.count - 1]
        } else {
            follow(code)
        }
        if let previous, next < Self.most { note(previous, values[values.count - 1]) }
    }

    private mutating func follow(_ code: Int) {
        var code = code
        while code > clear {
            values.append(lasts[code])
            code = Int(prefixes[code])
        }
        values.append(lasts[code])
    }

    private mutating func note(_ prefix: Int, _ last: UInt8) {
        (prefixes[next], lasts[next]) = (UInt16(prefix), last)
        next += 1
    }
}
