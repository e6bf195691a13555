import Foundation
import TintypeCore

/// The error document of a store (Amazon S3 API Reference, "REST error responses"): three of the elements of
/// `<Error><Code>…</Code><Message>…</Message><RequestId>…</RequestId></Error>`.
///
/// A document comes from outside, so it is not parsed as XML: the text of an element extends to the next `<`. Entities,
/// which can expand or name files, stay as they are.
struct ErrorDocument: Hashable, Sendable {
    /// The number of bytes of a document that are read. Documents of AWS have less than 1 KB; that of a wrong
    /// signature, which quotes the request, about 3 KB.
    static let maximumByteCount = 16 << 10

    /// The code, such as `NoSuchKey`; `nil` if it is missing, or not one.
    let code: String?
    /// The message; at most 200 characters of it.
    let message: String?
    /// The ID by which the operator of the store finds the request.
    let requestID: String?

    /// Reads the first bytes of a document.
    init(_ data: Data) {
        let text = data.prefix(Self.maximumByteCount)
        let isError = text.range(of: Data("<Error".utf8)) != nil
        code = isError ? Self.element("Code", in: text).flatMap { Self.isCode($0) ? $0 : nil } : nil
        message = isError ? Self.element("Message", in: text)?.abbreviated(to: 200) : nil
        requestID = isError ? Self.element("RequestId", in: text).flatMap { Self.requestID($0) } : nil
    }

    /// Returns an ID if it is one, such as the value of the field `x-amz-request-id`.
    static func requestID(_ text: String) -> String? {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
    }

    private static func isCode(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// Returns the text of the first element with a name; `nil` if there is none, or it has no end.
    private static func element(_ name: String, in document: Data) -> String? {
        guard let start = document.range(of: Data("<\(name)>".utf8)) else { return nil }
        let rest = document[start.upperBound...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "<")),
            rest[end...].starts(with: Data("</\(name)>".utf8))
        else { return nil }
        let text = String(decoding: rest[..<end], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }
}
