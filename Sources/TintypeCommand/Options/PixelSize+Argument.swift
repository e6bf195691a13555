import ArgumentParser
import Tintype

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
