import Foundation
import TintypeCore
import TintypeHTTP

/// Where a store is, and how its URLs name buckets.
struct S3Endpoint: Hashable, Sendable {
    let scheme: String
    /// The value of the `Host` field: the host in lower case, with the port unless it is that of the scheme.
    let authority: String
    /// The path before the bucket, percent-encoded and without a trailing slash; empty for none.
    let basePath: String
    /// Whether the bucket is the first segment of the path instead of the first label of the host.
    let usesPathStyle: Bool

    /// Creates the endpoint of a URL.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` for a URL with anything but scheme, host, port and
    ///   path.
    init(_ url: URL, usesPathStyle: Bool) throws(TintypeError) {
        let subject = url.withoutCredential.absoluteString
        guard url.isHTTP, HostName.isValid(url.plainHost), let host = url.host(percentEncoded: true),
            url.port.map({ (1...65_535).contains($0) }) ?? true
        else {
            throw TintypeError(
                .invalidSource, stage: .request, "the endpoint is not an HTTP URL with a host", subject: subject)
        }
        guard url.user == nil, url.password == nil, url.query == nil, url.fragment == nil else {
            throw TintypeError(
                .invalidSource, stage: .request, "the endpoint has a user, a query or a fragment", subject: subject)
        }
        scheme = url.isEncrypted ? "https" : "http"
        let port = url.port.flatMap { $0 == (url.isEncrypted ? 443 : 80) ? nil : ":\($0)" } ?? ""
        // An IPv6 address has brackets in a URL and in the field, and none in the host of Foundation.
        let isBare = host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[")
        authority = (isBare ? "[\(host)]" : host).lowercased() + port
        let path = url.path(percentEncoded: true)
        basePath = String(path.prefix(path.utf8.count - path.utf8.reversed().prefix { $0 == UInt8(ascii: "/") }.count))
        self.usesPathStyle = usesPathStyle
    }

    /// Creates the endpoint of AWS in a region.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` for a region that cannot be part of a host.
    init(region: String, usesPathStyle: Bool) throws(TintypeError) {
        guard Self.isRegion(region) else {
            throw TintypeError(.invalidSource, stage: .request, "not the name of a region", subject: region)
        }
        scheme = "https"
        authority = "s3.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")"
        basePath = ""
        self.usesPathStyle = usesPathStyle
    }

    static func isRegion(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Whether requests are encrypted.
    var isEncrypted: Bool { scheme == "https" }

    /// Returns the address of an object, or of the bucket if the key is `nil`. The names are valid.
    func address(bucket: String, key: String?) -> S3Address {
        let keyPath = key.map { "/\(PercentEncoding.encodePath($0))" } ?? ""
        guard !usesPathStyle, isLabel(bucket) else {
            return S3Address(
                scheme: scheme, host: authority, path: "\(basePath)/\(PercentEncoding.encode(bucket))\(keyPath)")
        }
        return S3Address(
            scheme: scheme, host: "\(bucket).\(authority)", path: basePath + (keyPath.isEmpty ? "/" : keyPath))
    }

    /// Whether a bucket can be a label of the host. A dot in it would not match the certificate `*.s3.amazonaws.com`
    /// (RFC 9525, 6.3), and an upper-case letter would be lost.
    private func isLabel(_ bucket: String) -> Bool {
        bucket.utf8.count <= 63 && Self.isRegion(bucket) && !bucket.hasPrefix("-") && !bucket.hasSuffix("-")
    }
}

/// The place of a bucket or an object: the parts of its URL.
struct S3Address: Hashable, Sendable {
    let scheme: String
    /// The value of the `Host` field.
    let host: String
    /// The path, percent-encoded.
    let path: String

    /// Returns the URL.
    ///
    /// - Parameter query: The encoded query; empty for none.
    /// - Throws: `TintypeError.Code.invalidSource` if there is no such URL.
    func url(query: String) throws(TintypeError) -> URL {
        let text = "\(scheme)://\(host)\(path)\(query.isEmpty ? "" : "?\(query)")"
        // The server checks the signature over the path that it gets, so the text must not be changed.
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.absoluteString == text else {
            throw TintypeError(
                .invalidSource, stage: .load, "no URL can name this object", subject: text.abbreviated(to: 200))
        }
        return url
    }
}
