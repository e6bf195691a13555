import ArgumentParser
import Tintype

extension ExpressibleByArgument where Self: Sendable {
    /// Reads an argument; for a wrong one, says what is wanted.
    static func parsing(_ wanted: String) -> @Sendable (String) throws -> Self {
        { argument in
            guard let value = Self(argument: argument) else { throw ValidationError("'\(argument)' is not \(wanted).") }
            return value
        }
    }
}

/// A number of bytes, such as `1500`, `64kB`, `500MB` or `1GB`.
struct ByteCount: ExpressibleByArgument {
    let bytes: Int

    init?(argument: String) {
        let text = argument.lowercased()
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let factor = Self.factors[String(unit)], let value = Double(digits), value >= 0,
            let bytes = Int(exactly: (value * factor).rounded())
        else { return nil }
        self.bytes = bytes
    }

    private static let factors: [String: Double] = [
        "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
        "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824,
    ]
}

/// Numbers of frames and ranges of them, such as `0-9,20`; a range may go backwards.
struct FrameList: ExpressibleByArgument {
    let indices: [Int]

    /// As many as any picture may have.
    private static let most = 10_000

    init?(argument: String) {
        var indices: [Int] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
            guard let first = ends[0], let last = ends[ends.count - 1], first >= 0, last >= 0,
                abs(last - first) < Self.most - indices.count
            else { return nil }
            indices += Array(stride(from: first, through: last, by: first <= last ? 1 : -1))
        }
        self.indices = indices
    }
}

// Not a conformance to `ExpressibleByArgument`: both it and the type are public, and so would be the conformance.
extension PixelSize {
    /// `WxH`, both from 1 to 65535.
    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...65_535).contains(width), (1...65_535).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    /// For the transform of an option.
    static func parsed(_ argument: String) throws -> PixelSize {
        guard let size = PixelSize(argument: argument) else {
            throw ValidationError("'\(argument)' is not a size, such as 320x240.")
        }
        return size
    }
}
