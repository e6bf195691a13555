import ArgumentParser
import Tintype

extension ExpressibleByArgument where Self: Sendable {
    /// Returns the transform of an option, which parses a value or throws an error that says what is expected.
    ///
    /// - Parameter expectation: A noun phrase, such as "a number of bytes, such as 10MB".
    static func parsing(expecting expectation: String) -> @Sendable (String) throws -> Self {
        { argument in
            guard let value = Self(argument: argument) else { throw ValidationError("expected \(expectation)") }
            return value
        }
    }
}

extension ParsableArguments {
    /// - Throws: `ValidationError` if the value of an option is outside its range.
    func validate(_ value: Int, in range: ClosedRange<Int>, for option: String) throws {
        guard range.contains(value) else {
            throw ValidationError(
                "\(option): expected a number from \(range.lowerBound) to \(range.upperBound), got \(value)")
        }
    }
}

/// The path of a file or directory.
///
/// An empty path is refused. It usually comes from an unset variable of a script, and would name the current directory.
struct PathArgument: ExpressibleByArgument {
    let path: String

    /// The valid values, as an error message describes them.
    static let expectation = "a path"

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        path = argument
    }

    var defaultValueDescription: String { path }
}

/// An image format, given by its name or a file extension of it.
struct FormatArgument: ExpressibleByArgument {
    let format: ImageFormat

    init?(argument: String) {
        guard let format = ImageFormat(fileExtension: argument) else { return nil }
        self.format = format
    }
}

/// A number of bytes, such as `1500`, `64kB`, `500MB` or `1GB`.
///
/// Units without an `i` are powers of 1000, those with one powers of 1024. Case is ignored.
struct ByteCount: ExpressibleByArgument {
    let bytes: Int

    /// The valid values, as an error message describes them.
    static let expectation = "a number of bytes, such as 1500, 64kB or 10MB"

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

/// A list of frame numbers and ranges, such as `0-9,20`. A range may run backwards.
struct FrameList: ExpressibleByArgument {
    let indices: [Int]

    /// The maximum number of frames in a list, which is that of an image.
    private static let maximumCount = 10_000

    init?(argument: String) {
        var indices: [Int] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
            guard let first = ends[0], let last = ends[ends.count - 1], first >= 0, last >= 0,
                abs(last - first) < Self.maximumCount - indices.count
            else { return nil }
            indices += Array(stride(from: first, through: last, by: first <= last ? 1 : -1))
        }
        self.indices = indices
    }
}

// `PixelSize` does not conform to `ExpressibleByArgument`: both are public types of other modules, so the conformance
// would be public too.
extension PixelSize {
    /// Parses `WxH`, with both numbers from 1 to 65535.
    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...65_535).contains(width), (1...65_535).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    /// Parses the value of an option.
    static func parse(_ argument: String) throws -> PixelSize {
        guard let size = PixelSize(argument: argument) else {
            throw ValidationError("expected a width and a height from 1 to 65535, such as 320x240")
        }
        return size
    }
}
