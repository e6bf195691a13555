import CTintypeCurl
import Foundation

/// The options of libcurl for one request, or for several that differ only in their URLs. It owns the header fields,
/// which libcurl does not copy.
final class CurlOptions {
    private let request: TransportRequest
    private let isEncrypted: Bool
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var proxyFields: UnsafeMutablePointer<curl_slist>?

    init(_ request: TransportRequest) {
        self.request = request
        isEncrypted = request.url.isEncrypted
    }

    /// Whether a handle with these options can send another request when it has that one's URL. Most requests of a
    /// program can follow each other so.
    func fit(_ other: TransportRequest) -> Bool {
        isPlain(request) && isPlain(other) && isEncrypted == other.url.isEncrypted
            && request.headers.all.elementsEqual(other.headers.all, by: ==) && request.security == other.security
            && request.connectTimeout == other.connectTimeout && request.readSize == other.readSize
            && request.allowsHTTP2 == other.allowsHTTP2 && request.allowsHTTP3 == other.allowsHTTP3
    }

    private func isPlain(_ request: TransportRequest) -> Bool {
        request.method == "GET" && request.body == nil && request.proxy == nil && !request.usesNewConnection
    }

    deinit {
        // The library may not be loaded.
        if let fields { curl_slist_free_all(fields) }
        if let proxyFields { curl_slist_free_all(proxyFields) }
    }

    /// Sets all options of a handle that was reset.
    ///
    /// - Throws: ``TransportFailure/Kind/invalidRequest`` when libcurl does not take an option, or
    ///   ``TransportFailure/Kind/insecure`` for a certificate.
    func apply(to handle: UnsafeMutableRawPointer) throws(TransportFailure) {
        try setURL(request.url, of: handle)
        setGeneralOptions(of: handle)
        try setMethod(of: handle)
        try setFields(of: handle)
        try setProxy(of: handle)
        try setSecurity(of: handle)
    }

    /// - Throws: ``TransportFailure/Kind/invalidRequest`` when libcurl does not take the URL.
    func setURL(_ url: URL, of handle: UnsafeMutableRawPointer) throws(TransportFailure) {
        try set(handle, CURLOPT_URL, url.absoluteString)
    }

    /// Options that are the same for nearly all requests. Nothing comes from the environment or from files of the user.
    private func setGeneralOptions(of handle: UnsafeMutableRawPointer) {
        tintype_curl_set_pointer(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        tintype_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        tintype_curl_set_number(handle, CURLOPT_QUICK_EXIT, 1)
        // The target is sent as it is written.
        tintype_curl_set_number(handle, CURLOPT_PATH_AS_IS, 1)
        tintype_curl_set_number(handle, CURLOPT_HTTP_VERSION, request.highestVersion.option)
        tintype_curl_set_number(handle, CURLOPT_PIPEWAIT, request.highestVersion > .http1 ? 1 : 0)
        tintype_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.connectTimeout))
        tintype_curl_set_number(handle, CURLOPT_MAXAGE_CONN, CurlLoop.idleTime)
        if request.usesNewConnection { tintype_curl_set_number(handle, CURLOPT_FRESH_CONNECT, 1) }
        tintype_curl_set_number(handle, CURLOPT_BUFFERSIZE, max(1024, request.readSize ?? Self.readSize))
    }

    /// The number of bytes that are read at once. Most images arrive in one read, after which their reader is resumed
    /// once.
    private static let readSize = 64 << 10

    /// libcurl takes milliseconds in a `long`, of which 0 stands for its own default.
    private func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        guard seconds < 1 << 30 else { return 1 << 40 }
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }

    private func setMethod(of handle: UnsafeMutableRawPointer) throws(TransportFailure) {
        switch request.method {
        case "GET" where request.body == nil: return
        case "HEAD":
            tintype_curl_set_number(handle, CURLOPT_NOBODY, 1)
            return
        default: break
        }
        if request.body != nil || ["POST", "PUT", "PATCH"].contains(request.method) {
            let body = request.body ?? Data()
            let code = body.withUnsafeBytes { tintype_curl_set_body(handle, $0.baseAddress, $0.count) }
            guard code == CURLE_OK else {
                throw TransportFailure(.invalidRequest, "the body of the request is too large")
            }
        }
        try set(handle, CURLOPT_CUSTOMREQUEST, request.method)
    }

    private func setFields(of handle: UnsafeMutableRawPointer) throws(TransportFailure) {
        for (name, value) in request.headers.all where !Self.isFraming(name) {
            try append(value.isEmpty ? "\(name);" : "\(name): \(value)", to: &fields)
        }
        // Fields that libcurl would add itself.
        if !request.headers.contains("Accept") { try append("Accept:", to: &fields) }
        if request.body != nil || request.method != "GET" {
            if !request.headers.contains("Content-Type") { try append("Content-Type:", to: &fields) }
            try append("Expect:", to: &fields)
        }
        tintype_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields)
    }

    /// Whether a field describes the framing of the body, or the connection, which are those of libcurl.
    private static func isFraming(_ name: String) -> Bool {
        guard [6, 10, 14, 17].contains(name.utf8.count) else { return false }
        return ["content-length", "transfer-encoding", "connection", "expect"].contains(name.lowercased())
    }

    private func setProxy(of handle: UnsafeMutableRawPointer) throws(TransportFailure) {
        guard let proxy = request.proxy else {
            // An empty text also switches off the variables of the environment.
            try set(handle, CURLOPT_PROXY, "")
            return
        }
        try set(handle, CURLOPT_PROXY, proxy.curlURL)
        try set(handle, CURLOPT_NOPROXY, "")
        tintype_curl_set_number(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        switch proxy.credential {
        case .basic(let user, let password):
            try set(handle, CURLOPT_PROXYUSERNAME, user)
            try set(handle, CURLOPT_PROXYPASSWORD, password)
        case .bearer:
            try append("Proxy-Authorization: \(proxy.credential?.authorization ?? "")", to: &proxyFields)
            tintype_curl_set_pointer(handle, CURLOPT_PROXYHEADER, proxyFields)
            tintype_curl_set_number(handle, CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        case nil: break
        }
    }

    private func setSecurity(of handle: UnsafeMutableRawPointer) throws(TransportFailure) {
        let security = request.security
        // libcurl skips what it cannot read after a first certificate.
        guard security.trustedCertificates.allSatisfy(Self.containsCertificates) else {
            throw TransportFailure(.insecure, "a trusted certificate cannot be read")
        }
        guard isEncrypted else { return }
        if let file = CurlLibrary.certificateFile { try set(handle, CURLOPT_CAINFO, file) }
        if !security.checksCertificate {
            tintype_curl_set_number(handle, CURLOPT_SSL_VERIFYPEER, 0)
            tintype_curl_set_number(handle, CURLOPT_SSL_VERIFYHOST, 0)
        } else if !security.trustedCertificates.isEmpty {
            let bundle = SystemCertificates.text + "\n" + security.trustedCertificates.joined(separator: "\n")
            try setBlob(handle, CURLOPT_CAINFO_BLOB, bundle)
        }
        guard let own = security.clientCertificate else { return }
        try setBlob(handle, CURLOPT_SSLCERT_BLOB, own.certificates)
        try setBlob(handle, CURLOPT_SSLKEY_BLOB, own.key)
    }

    /// Whether all certificates of a text in PEM format (RFC 7468) are DER sequences, and there is one.
    private static func containsCertificates(_ text: String) -> Bool {
        let blocks = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
        return !blocks.isEmpty
            && blocks.allSatisfy { block in
                let base64 = block.components(separatedBy: "-----END CERTIFICATE-----")[0]
                return Data(base64Encoded: base64, options: .ignoreUnknownCharacters)?.first == 0x30
            }
    }

    private func setBlob(
        _ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ text: String
    ) throws(TransportFailure) {
        let code = Array(text.utf8).withUnsafeBytes { bytes in
            bytes.baseAddress.map { tintype_curl_set_blob(handle, option, $0, bytes.count) }
                ?? CURLE_BAD_FUNCTION_ARGUMENT
        }
        guard code == CURLE_OK else { throw TransportFailure(.insecure, "a certificate cannot be read") }
    }

    private func set(
        _ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ text: String
    ) throws(TransportFailure) {
        guard tintype_curl_set_pointer(handle, option, text) == CURLE_OK else {
            throw TransportFailure(.invalidRequest, "libcurl cannot send this request")
        }
    }

    private func append(_ text: String, to list: inout UnsafeMutablePointer<curl_slist>?) throws(TransportFailure) {
        guard let longer = curl_slist_append(list, text) else {
            throw TransportFailure(.other, "libcurl has not enough memory")
        }
        list = longer
    }
}

/// A version of HTTP.
enum HTTPVersion: Int, Comparable {
    case http1 = 1
    case http2, http3

    /// The value for libcurl, which takes the best version up to this one that the server has.
    fileprivate var option: Int {
        switch self {
        case .http1: Int(CURL_HTTP_VERSION_1_1)
        case .http2: Int(CURL_HTTP_VERSION_2TLS)
        case .http3: Int(CURL_HTTP_VERSION_3)
        }
    }

    static func < (left: HTTPVersion, right: HTTPVersion) -> Bool { left.rawValue < right.rawValue }
}

extension TransportRequest {
    /// The highest version over which the response may come.
    var highestVersion: HTTPVersion {
        highestVersion(usesHTTP2: CurlLibrary.usesHTTP2, hasHTTP3: CurlLibrary.hasHTTP3)
    }

    /// The highest version over which the response may come, with what libcurl can do. Those above HTTP/1.1 are used
    /// over TLS only, and libcurl sends HTTP/3 over no proxy.
    func highestVersion(usesHTTP2: Bool, hasHTTP3: Bool) -> HTTPVersion {
        guard allowsHTTP2, usesHTTP2, url.isEncrypted else { return .http1 }
        return allowsHTTP3 && hasHTTP3 && proxy == nil ? .http3 : .http2
    }

    /// Whether Tintype previews lines of a head. It cannot preview those that a proxy answers to `CONNECT`.
    var previewsHead: Bool { CurlLibrary.needsPreview && proxy == nil }

    /// Whether a handle can serve this request after others.
    var sharesHandle: Bool { !CurlLibrary.needsPreview || proxy == nil }
}

extension ProxyServer {
    /// The URL in the form of libcurl. A SOCKS proxy resolves the names of servers.
    fileprivate var curlURL: String {
        let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return switch kind {
        case .http: "http://\(host):\(port)"
        case .socks5: "socks5h://\(host):\(port)"
        }
    }
}

/// The certificates of the system. libcurl loads them itself unless a request trusts others as well.
private enum SystemCertificates {
    /// The text, in PEM format; empty if there is no such file.
    static let text = CurlLibrary.systemCertificates.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? ""
}
