import Foundation

/// Lists of transforms, in attributes and in CSS (CSS Transforms 1, 8 and 12).
enum SVGTransform {
    /// Returns an upper bound of the factor by which a list enlarges any distance, or `nil` if it cannot be read.
    static func factor(of text: ArraySlice<UInt8>) -> Double? {
        var (factor, rest) = (1.0, text)
        while let open = rest.firstIndex(of: UInt8(ascii: "(")) {
            guard let close = rest[open...].firstIndex(of: UInt8(ascii: ")")) else { return nil }
            let name = rest[..<open].drop { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
            guard let part = Self.factor(of: SVGText.trimmed(name), rest[(open + 1)..<close]) else { return nil }
            factor *= part
            rest = rest[(close + 1)...]
        }
        // In CSS, `!important` may follow.
        let last = SVGText.trimmed(rest.prefix { $0 != UInt8(ascii: "!") })
        return last.isEmpty || isKeyword(last) ? factor : nil
    }

    /// Returns whether a value of CSS stands for no transform. With `inherit`, the transform of the parent applies again.
    private static func isKeyword(_ value: ArraySlice<UInt8>) -> Bool {
        ["none", "initial", "unset", "revert"].contains(String(decoding: value.prefix(8), as: UTF8.self).lowercased())
    }

    /// Returns the factor of one function.
    private static func factor(of name: ArraySlice<UInt8>, _ arguments: ArraySlice<UInt8>) -> Double? {
        switch String(decoding: name.prefix(16), as: UTF8.self).lowercased() {
        case "translate", "translatex", "translatey", "translatez", "translate3d": 1
        case "rotate", "rotatex", "rotatey", "rotatez", "rotate3d": 1
        case "scale", "scalex", "scaley": numbers(arguments, 1...2, unit: "%")?.map(abs).max()
        case "matrix": numbers(arguments, 6...6).map(norm)
        case "skewx", "skewy", "skew":
            numbers(arguments, 1...2, unit: "deg")?.reduce(1) { $0 * (1 + abs(tan($1 * .pi / 180))) }
        default: nil
        }
    }

    /// Returns the spectral norm of a matrix: the length of the longest image of a vector of length 1.
    private static func norm(_ matrix: [Double]) -> Double {
        let sum = matrix[..<4].reduce(0) { $0 + $1 * $1 }
        let determinant = matrix[0] * matrix[3] - matrix[1] * matrix[2]
        return ((sum + max(0, sum * sum - 4 * determinant * determinant).squareRoot()) / 2).squareRoot()
    }

    /// Returns numbers, plain or with a unit; `nil` if anything else is among them.
    private static func numbers(
        _ text: ArraySlice<UInt8>, _ count: ClosedRange<Int>, unit: String = ""
    ) -> [Double]? {
        var (scanner, numbers) = (SVGNumberScanner(text), [Double]())
        while numbers.count <= count.upperBound, let number = scanner.number() {
            let ownUnit = scanner.unit()
            guard number.isFinite, ["", unit].contains(ownUnit) else { return nil }
            numbers.append(ownUnit == "%" ? number / 100 : number)
        }
        return count.contains(numbers.count) && scanner.isAtEnd() ? numbers : nil
    }
}
