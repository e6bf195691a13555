/// Lists of numbers, as in the data of a path (SVG 2, 9.3).
enum SVGNumbers {
    /// Returns the number of numbers. The result may be too high, never too low.
    static func count(in text: ArraySlice<UInt8>) -> Int {
        var (count, isInside) = (0, false)
        for byte in text {
            // A sign or a second point begins another number.
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isDigit && !isInside || byte == UInt8(ascii: ".") && isInside { count += 1 }
            isInside = isDigit
        }
        return count
    }

    /// Returns numbers separated by white space or commas; empty if anything else is among them.
    static func values(in text: ArraySlice<UInt8>) -> [Double] {
        let words = text.split { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
        let values = words.prefix(3).compactMap { Double(String(decoding: $0, as: UTF8.self)) }
        return values.count == words.count ? values : []
    }
}
