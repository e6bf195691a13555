import Foundation

/// The source that an image URL names, and the format after it.
struct SourceReference: Hashable, Sendable {
    /// The URL of the source, decoded once, before replacements. It may be relative to a base URL.
    let url: String
    /// The extension after the source, which names the format of the result; `nil` if there is none.
    let fileExtension: String?

    /// Reads the segments of a path that follow the options.
    ///
    /// - Parameters:
    ///   - segments: `plain` and a percent-encoded URL, or a URL in URL-safe base64, split anywhere.
    ///   - hasFileName: Whether the last segment of an encoded URL is a file name that only decorates it.
    /// - Throws: ``ImageURLError/Kind/path`` if there is no source or it cannot be decoded.
    init(segments: some BidirectionalCollection<String>, hasFileName: Bool = false) throws(ImageURLError) {
        guard let first = segments.first else { throw Self.error("there is no source after the options") }
        if first == "plain", segments.count > 1 {
            (url, fileExtension) = try Self.plain(segments.dropFirst().joined(separator: "/"))
        } else if first == "enc" {
            throw Self.error("encrypted sources are not supported; use plain/URL or a URL in base64")
        } else {
            let encoded = hasFileName && segments.count > 1 ? Array(segments.dropLast()) : Array(segments)
            (url, fileExtension) = try Self.base64(encoded.joined())
        }
    }

    private static func plain(_ text: String) throws(ImageURLError) -> (String, String?) {
        let (encoded, fileExtension) = try split(text, at: "@")
        guard let bytes = percentDecoded(encoded) else {
            throw error("a % in the source is not followed by two hexadecimal digits; write it as %25")
        }
        return (try self.text(bytes), fileExtension)
    }

    private static func base64(_ text: String) throws(ImageURLError) -> (String, String?) {
        let (encoded, fileExtension) = try split(text, at: ".")
        let end = encoded.utf8.lastIndex { $0 != UInt8(ascii: "=") }.map { encoded.utf8.index(after: $0) }
        guard let bytes = Base64URL.decode(String(encoded[..<(end ?? encoded.startIndex)])) else {
            throw error("the source is not URL-safe base64; an unencoded source begins with plain/")
        }
        return (try self.text(bytes), fileExtension)
    }

    /// Splits a source from its extension. An empty extension is none.
    private static func split(
        _ text: String, at separator: Unicode.Scalar
    ) throws(ImageURLError) -> (String, String?) {
        let parts = text.parts(separatedBy: separator)
        guard parts.count <= 2 else {
            throw error("the source has more than one \(separator); percent-encode those that belong to it")
        }
        guard !parts[0].isEmpty else { throw error("the source is empty") }
        return (parts[0], parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil)
    }

    /// Returns the text of decoded bytes. Control characters have no place in a URL, and would split a header field.
    private static func text(_ bytes: [UInt8]) throws(ImageURLError) -> String {
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            throw error("the source has a control character")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw error("the source is not UTF-8") }
        return text
    }

    private static func error(_ detail: String) -> ImageURLError { ImageURLError(.path, detail) }
}

/// Returns the bytes that a percent-encoded text stands for (RFC 3986, 2.1); `nil` if an escape is incomplete.
func percentDecoded(_ text: String) -> [UInt8]? {
    var (bytes, rest) = ([UInt8](), text.utf8[...])
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
            return nil
        }
        bytes.append(high << 4 | low)
    }
    return bytes
}
