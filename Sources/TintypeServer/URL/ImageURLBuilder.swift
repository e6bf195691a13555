/// Builds image URLs.
package struct ImageURLBuilder: Hashable, Sendable {
    /// How the source is written.
    package enum SourceEncoding: Hashable, Sendable {
        /// Readable, with an escape for each character that a proxy could change.
        case plain
        /// In URL-safe base64, in segments of this many characters; 0 for one segment.
        case base64(segmentLength: Int)
    }

    /// The options, such as `rs:fill:300:200`.
    package var options: [String]
    /// The URL of the source.
    package var source: String
    /// The extension that names the format; empty to let the server choose.
    package var fileExtension: String
    /// How the source is written.
    package var encoding: SourceEncoding

    /// Creates a builder.
    package init(
        options: [String] = [], source: String, fileExtension: String = "", encoding: SourceEncoding = .plain
    ) {
        self.options = options
        self.source = source
        self.fileExtension = fileExtension
        self.encoding = encoding
    }

    /// The path that is signed, with its leading slash.
    package var path: String {
        let segments: [String]
        switch encoding {
        case .plain:
            segments = ["plain", Self.escaped(source) + (fileExtension.isEmpty ? "" : "@" + fileExtension)]
        case .base64(let length):
            var parts = Self.pieces(of: Base64URL.encode(Array(source.utf8)), length: length)
            if let last = parts.popLast() { parts.append(last + (fileExtension.isEmpty ? "" : "." + fileExtension)) }
            segments = parts
        }
        return "/" + (options + segments).joined(separator: "/")
    }

    /// Returns the path with its signature.
    ///
    /// - Parameters:
    ///   - key: The pair that signs; `nil` for the text `unsafe` in place of a signature.
    ///   - size: The number of bytes of the signature, from 1 to 32.
    package func signedPath(key: SigningKey?, size: Int = 32) -> String {
        "/" + (key?.sign(path: path, size: size) ?? "unsafe") + path
    }

    private static func escaped(_ source: String) -> String {
        let text = source.utf8.flatMap { byte -> [UInt8] in
            if byte.isASCIILetter || byte.isASCIIDigit || "-._~/:=&,;+$".utf8.contains(byte) { return [byte] }
            return Array("%".utf8) + Array([byte].uppercaseHexadecimal.utf8)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func pieces(of text: String, length: Int) -> [String] {
        guard length > 0 else { return [text] }
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: length).map {
            String(decoding: bytes[$0..<min($0 + length, bytes.count)], as: UTF8.self)
        }
    }
}
