/// A plain model of `LZWDecoder`: it follows prefixes from code to code (GIF89a, appendix F).
struct PlainLZW {
    private let clearCode: Int
    private let firstWidth: Int
    /// The code that each code continues, and the value with which it ends.
    private var prefixes = [UInt16](repeating: 0, count: Self.maxCodes)
    private var lastValues = [UInt8](repeating: 0, count: Self.maxCodes)
    /// The values of the current code, the last one first.
    private var values: [UInt8] = []
    private var nextCode: Int
    private var width: Int
    private var previousCode: Int?
    /// Bits that are not yet a whole code, the lowest first.
    private var bits = 0
    private var bitCount = 0
    /// Whether nothing more is decoded, because the image has ended or is damaged.
    private(set) var hasEnded = false

    private static let maxCodes = 1 << maxWidth
    private static let maxWidth = 12

    /// - Parameter codeSize: The number of bits of a value.
    /// - Returns: `nil` for a size that is not from 1 to 8.
    init?(codeSize: Int) {
        guard (1...8).contains(codeSize) else { return nil }
        clearCode = 1 << codeSize
        firstWidth = codeSize + 1
        (nextCode, width) = (clearCode + 2, firstWidth)
        for value in 0..<clearCode { lastValues[value] = UInt8(value) }
    }

    /// Decodes the next bytes and passes their values to `body` in order.
    mutating func decode(_ bytes: some Sequence<UInt8>, _ body: (UInt8) -> Void) {
        for byte in bytes {
            bits |= Int(byte) << bitCount
            bitCount += 8
            while bitCount >= width && !hasEnded {
                let code = bits & (1 << width - 1)
                bits >>= width
                bitCount -= width
                process(code, body)
            }
            if hasEnded { return }
        }
    }

    private mutating func process(_ code: Int, _ body: (UInt8) -> Void) {
        if code == clearCode {
            (nextCode, width, previousCode) = (clearCode + 2, firstWidth, nil)
        } else if code == clearCode + 1 || !isDefined(code) {
            hasEnded = true
        } else {
            expand(code)
            for value in values.reversed() { body(value) }
            previousCode = code
            if nextCode >= 1 << width && width < Self.maxWidth { width += 1 }
        }
    }

    /// Whether a code is in the table, or is the one that the previous code is about to define.
    private func isDefined(_ code: Int) -> Bool {
        guard previousCode != nil else { return code < clearCode }
        return code < nextCode || code == nextCode && nextCode < Self.maxCodes
    }

    /// Collects the values of a code, and adds the table entry that it completes.
    private mutating func expand(_ code: Int) {
        values.removeAll(keepingCapacity: true)
        if code == nextCode, let previousCode {
            // The code ends with the first value of the previous one, which is known only after that is expanded.
            values.append(0)
            appendValues(of: previousCode)
            values[0] = values[values.count - 1]
        } else {
            appendValues(of: code)
        }
        if let previousCode, nextCode < Self.maxCodes { addEntry(previousCode, values[values.count - 1]) }
    }

    private mutating func appendValues(of code: Int) {
        var code = code
        while code > clearCode {
            values.append(lastValues[code])
            code = Int(prefixes[code])
        }
        values.append(lastValues[code])
    }

    private mutating func addEntry(_ prefix: Int, _ lastValue: UInt8) {
        (prefixes[nextCode], lastValues[nextCode]) = (UInt16(prefix), lastValue)
        nextCode += 1
    }
}
