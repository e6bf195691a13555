import Foundation
import TintypeCore
import TintypeHTTP

/// What is stored with the bytes of an object.
public struct S3PutOptions: Hashable, Sendable {
    static let metadataPrefix = "x-amz-meta-"
    /// The largest size of all metadata in bytes (Amazon S3 User Guide, "Working with object metadata").
    private static let maximumMetadataSize = 2048

    /// The media type; `nil` leaves it to the store.
    public var contentType: String?
    /// The value of `Cache-Control` in later responses; `nil` for none.
    public var cacheControl: String?
    /// Metadata of the program: names of letters, digits and hyphens, and values of printable ASCII characters; at most
    /// 2 KB in all.
    public var metadata: [String: String]
    /// Whether the bytes are stored only if there is no object with the key (`If-None-Match: *`), so that of several
    /// writers one wins. For keys that name their content, it does not matter which one.
    public var onlyIfAbsent: Bool
    /// Whether the signature covers the bytes, for which their digest is computed. It always does without TLS.
    public var signsBody: Bool

    /// Creates options.
    public init(
        contentType: String? = nil, cacheControl: String? = nil, metadata: [String: String] = [:],
        onlyIfAbsent: Bool = false, signsBody: Bool = true
    ) {
        self.contentType = contentType
        self.cacheControl = cacheControl
        self.metadata = metadata
        self.onlyIfAbsent = onlyIfAbsent
        self.signsBody = signsBody
    }

    /// The header fields of a request. Names and values are in the form in which they are signed, so that no proxy can
    /// change what the signature covers by removing a space.
    ///
    /// - Throws: `TintypeError.Code.invalidSource`.
    func headers(about object: S3Object) throws(TintypeError) -> HTTPFields {
        var fields = HTTPFields()
        if let contentType { fields["Content-Type"] = contentType }
        if let cacheControl { fields["Cache-Control"] = cacheControl }
        if onlyIfAbsent { fields["If-None-Match"] = "*" }
        var size = 0
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            size += name.utf8.count + value.utf8.count
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte) else {
                throw Self.invalid("the name of metadata has other characters than letters, digits and hyphens", object)
            }
            fields.add(name: Self.metadataPrefix + name.lowercased(), value: value)
        }
        guard size <= Self.maximumMetadataSize else {
            throw Self.invalid("the metadata has more than \(Self.maximumMetadataSize) bytes", object)
        }
        for (name, value) in fields.all where !value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            throw Self.invalid("the value of \(name) has a character that is not printable ASCII", object)
        }
        return HTTPFields(fields.all.map { (name: $0.name, value: CanonicalRequest.trimmed($0.value)) })
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func invalid(_ message: String, _ object: S3Object) -> TintypeError {
        TintypeError(.invalidSource, stage: .request, message, subject: "\(object)")
    }
}
