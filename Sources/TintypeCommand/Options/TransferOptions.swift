import ArgumentParser
import Foundation
import Tintype

/// How HTTP is spoken.
struct TransferOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp("A header field of every request; may be repeated.", valueName: "name: value"),
        transform: HeaderField.parsing("a header field, such as 'Accept-Language: de'"))
    var headers: [HeaderField] = []

    @Option(
        help: ArgumentHelp(
            "Prove who asks by a name and a password, to the named hosts only.", valueName: "name:password"),
        transform: UserArgument.parsing("a name and a password, such as me:secret"))
    var user: UserArgument?

    @Flag(help: "Keep the cookies that servers set, and send them, while the command runs.")
    var cookies = false

    @Option(
        help: ArgumentHelp("Do not check the certificate of this host; may be repeated.", valueName: "host"),
        transform: HostArgument.parsing("the name of a host, without a scheme or a port"))
    var insecure: [HostArgument] = []

    @Option(
        help: ArgumentHelp(
            "Go through this proxy, or none with an empty name, instead of what the environment says.",
            valueName: "url"),
        transform: ProxyArgument.parsing("the address of an HTTP proxy, such as http://localhost:3128"))
    var proxy: ProxyArgument?

    @Option(help: ArgumentHelp("Try again so often what may pass.", valueName: "n"))
    var retry = 0

    @Option(help: ArgumentHelp("Take no picture with more bytes, such as 10MB.", valueName: "bytes"))
    var maxBytes: ByteCount?

    @Option(help: ArgumentHelp("Follow so many redirects.", valueName: "n"))
    var maxRedirects = 10

    @Flag(
        name: .customLong("guard"),
        help: "Load by HTTP from public addresses only, as a server should that is told what to load.")
    var isGuarded = false

    @Option(
        help: ArgumentHelp(
            "Seconds without progress after which a transfer is given up. (default: 15, and 10 to connect)",
            valueName: "seconds"))
    var timeout: Double?

    func validate() throws {
        guard timeout.map({ $0.isFinite && $0 > 0 && $0 <= 86_400 }) ?? true else {
            throw ValidationError("--timeout takes seconds above 0, at most 86400.")
        }
        guard (0...100).contains(retry) else { throw ValidationError("--retry takes 0 to 100.") }
        guard maxBytes.map({ $0.bytes > 0 }) ?? true else { throw ValidationError("--max-bytes takes at least 1.") }
        guard (0...100).contains(maxRedirects) else { throw ValidationError("--max-redirects takes 0 to 100.") }
    }

    var configuration: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        if let timeout {
            configuration.idleTimeout = .seconds(timeout)
            configuration.connectTimeout = .seconds(timeout)
        }
        configuration.hostsWithUncheckedCertificates = Set(insecure.map(\.name))
        configuration.proxy = proxy?.setting ?? .environment
        configuration.retry = RetryPolicy(maximumAttempts: retry + 1)
        configuration.maximumRedirects = maxRedirects
        configuration.serverGuard = isGuarded ? .standard : nil
        return configuration
    }

    /// A pipeline's configuration with what these options say of requests and of bytes.
    func applied(to configuration: PipelineConfiguration) -> PipelineConfiguration {
        var configuration = configuration
        configuration.interceptors.append(TransferRequests(fields: fields, usesCookies: cookies))
        if let maxBytes { configuration.maximumByteCount = maxBytes.bytes }
        return configuration
    }

    private var fields: [String: String] {
        var fields: [String: String] = [:]
        if let user { fields["Authorization"] = user.credential.authorization }
        for field in headers { fields[field.name] = field.value }
        return fields
    }
}

/// Gives requests over HTTP their header fields, which become part of their keys: another field may mean another picture.
struct TransferRequests: RequestInterceptor {
    let fields: [String: String]
    let usesCookies: Bool

    func intercept(_ request: ImageRequest) -> ImageRequest {
        guard case .url(let url) = request.source, ["http", "https"].contains(url.scheme?.lowercased()) else {
            return request
        }
        var request = request
        if !fields.isEmpty { request.source = .http(HTTPSource(url: url, headers: fields)) }
        request.http.usesCookies = usesCookies
        return request
    }
}

/// `name:password`; the password may be missing, and may have colons.
struct UserArgument: ExpressibleByArgument {
    let credential: HTTPCredential

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let user = parts.first, !user.isEmpty else { return nil }
        credential = .basic(user: user, password: parts.count > 1 ? parts[1] : "")
    }
}

/// The name or address of a host, without a scheme or a port.
struct HostArgument: ExpressibleByArgument {
    /// As URLs have it, in lower case.
    let name: String

    init?(argument: String) {
        let isAddress6 = argument.contains("::") && !argument.hasPrefix("[")
        let text = isAddress6 ? "[\(argument)]" : argument
        guard let url = URL(string: "https://\(text)/"), url.absoluteString == "https://\(text)/", url.path() == "/",
            url.port == nil, url.user() == nil, let host = url.host(), !host.isEmpty
        else { return nil }
        name = host.lowercased()
    }
}

/// The address of a proxy, or nothing for none.
struct ProxyArgument: ExpressibleByArgument {
    let setting: ProxySetting

    init?(argument: String) {
        if argument.isEmpty {
            setting = .direct
        } else if let server = ProxyServer(argument) {
            setting = .server(server)
        } else {
            return nil
        }
    }
}

/// One `name: value`.
struct HeaderField: ExpressibleByArgument {
    let name: String
    let value: String

    /// Only what RFC 9110, 5.1 and 5.5 allow: a line break would begin another field.
    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        name = String(argument[..<colon])
        value = argument[argument.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken), value.utf8.allSatisfy({ $0 >= 0x20 || $0 == 9 }) else {
            return nil
        }
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
    }
}
