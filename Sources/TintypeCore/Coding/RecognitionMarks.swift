public import Foundation

/// What a ``RecognizingImageDecoder`` may know of an image in addition to its first bytes: for formats that have no
/// signature there.
public struct RecognitionMarks: Sendable {
    /// The last bytes, at most `endLength`. Those of an image that is still arriving are not its end.
    public var end: Data
    /// The extension in the name of the source, in lower case without the dot; `nil` if the name is unknown or has
    /// none.
    public var fileExtension: String?
    /// The format that the request states: ``DecodeOptions/formatHint``.
    public var formatHint: ImageFormat?

    /// The number of bytes of ``end``.
    package static let endLength = 64

    /// Creates marks.
    package init(end: Data = Data(), fileExtension: String? = nil, formatHint: ImageFormat? = nil) {
        (self.end, self.fileExtension, self.formatHint) = (end, fileExtension, formatHint)
    }

    /// Whether the name or the request states this format.
    package func names(_ format: ImageFormat) -> Bool {
        formatHint == format || fileExtension.map(format.fileExtensions.contains) ?? false
    }
}

extension RecognitionMarks {
    init(_ bytes: Data, _ formatHint: ImageFormat?, name: String?) {
        // A copy, whose indices begin at 0.
        self.init(
            end: Data(bytes.suffix(Self.endLength)), fileExtension: name.flatMap(Self.fileExtension),
            formatHint: formatHint)
    }

    /// Returns the extension in a path or URL, without its query and fragment (RFC 3986, 3).
    static func fileExtension(in name: String) -> String? {
        let end = name.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? name.endIndex
        let path = name[..<end]
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let text = path[path.utf8.index(after: dot)...]
        // Longer than any extension of an image format.
        guard (1...8).contains(text.utf8.count), text.utf8.allSatisfy({ $0 != UInt8(ascii: "/") }) else { return nil }
        return text.lowercased()
    }
}
