import Foundation

/// Loads `data:` URLs (RFC 2397), and bytes that the request itself contains.
package struct DataURLLoader: ImageLoader {
    /// Creates the loader.
    package init() {}

    /// Returns whether the source is a `data:` URL or bytes.
    package func canLoad(_ source: ImageSource) -> Bool {
        switch source {
        case .url(let url): url.scheme?.lowercased() == "data"
        case .bytes: true
        case .http, .closure, .custom: false
        }
    }

    /// Returns the bytes of the source.
    ///
    /// - Throws: ``TintypeError/Code/invalidSource`` or ``TintypeError/Code/limitExceeded``.
    @concurrent
    package func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        let data = try bytes(of: source)
        guard data.count <= context.received.limit else {
            throw .exceeded(byteLimit: context.received.limit)
        }
        return LoadedBytes(data: data, origin: .data)
    }

    private func bytes(of source: ImageSource) throws(TintypeError) -> Data {
        switch source {
        case .bytes(let data, _): return data
        case .url(let url):
            guard let content = DataURL(url.absoluteString) else { fallthrough }
            return content.data
        default:
            throw TintypeError(.invalidSource, stage: .load, "not a well-formed data URL", subject: source.displayName)
        }
    }
}

/// Loads the bytes that a request's own closure returns.
package struct ClosureLoader: ImageLoader {
    /// Creates the loader.
    package init() {}

    /// Returns whether the source is a closure.
    package func canLoad(_ source: ImageSource) -> Bool {
        if case .closure = source { true } else { false }
    }

    /// Calls the closure and returns its bytes.
    ///
    /// - Throws: The closure's error if it is a ``TintypeError``, ``TintypeError/Code/cancelled`` when the load is
    ///   cancelled, or ``TintypeError/Code/transport`` for any other error.
    @concurrent
    package func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        guard case .closure(let id, let make) = source else {
            throw TintypeError(.invalidSource, stage: .load, "not a closure", subject: source.displayName)
        }
        do {
            return LoadedBytes(data: try await make(), origin: .custom)
        } catch {
            throw TintypeError(thrownByProgram: error, subject: id)
        }
    }
}

/// The parts of a `data:` URL: `data:[<media type>][;base64],<data>`.
struct DataURL {
    let mediaType: String
    let data: Data

    init?(_ text: String) {
        guard text.prefix(5).lowercased() == "data:", let comma = text.firstIndex(of: ",") else { return nil }
        let head = text[text.index(text.startIndex, offsetBy: 5)..<comma]
        let parts = head.split(separator: ";", omittingEmptySubsequences: false)
        let isBase64 = parts.last?.trimmingCharacters(in: .whitespaces).lowercased() == "base64"
        guard let data = Self.decode(text[text.index(after: comma)...], isBase64: isBase64) else { return nil }
        mediaType = String(parts.first ?? "")
        self.data = data
    }

    private static func decode(_ body: Substring, isBase64: Bool) -> Data? {
        let bytes = body.utf8.contains(UInt8(ascii: "%")) ? percentDecoded(body) : Data(body.utf8)
        guard isBase64 else { return bytes }
        return bytes.flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
    }

    /// Decodes to bytes, not text: the content need not be UTF-8.
    private static func percentDecoded(_ body: Substring) -> Data? {
        var decoded = Data(capacity: body.utf8.count)
        var rest = body.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                return nil
            }
            decoded.append(high << 4 | low)
        }
        return decoded
    }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit.
    fileprivate var hexadecimalValue: UInt8? { Character(Unicode.Scalar(self)).hexDigitValue.map { UInt8($0) } }
}
