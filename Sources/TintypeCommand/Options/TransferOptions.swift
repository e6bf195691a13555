import ArgumentParser
import Foundation
import Tintype

/// The settings of HTTP transfers.
struct TransferOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            """
            Add a header field to every request; may be repeated. A redirect to another origin keeps only fields \
            without secrets, such as Accept-Language.
            """,
            valueName: "name: value"),
        transform: HeaderField.parsing(expecting: "a header field, such as 'Accept-Language: de'"))
    var headers: [HeaderField] = []

    @Option(
        help: ArgumentHelp(
            "Authenticate with this user name and password, which are not sent to other origins after a redirect.",
            valueName: "name:password"),
        transform: UserArgument.parsing(expecting: "a user name and a password, such as me:secret"))
    var user: UserArgument?

    @Flag(help: ArgumentHelp("Accept and send cookies; they are kept only for this run.", visibility: .rare))
    var cookies = false

    @Option(
        help: ArgumentHelp(
            "Do not verify the certificate of this host; may be repeated.", valueName: "host", visibility: .rare),
        transform: HostArgument.parsing(expecting: "a host name without scheme and port, such as example.org"))
    var insecure: [HostArgument] = []

    @Option(
        help: ArgumentHelp(
            """
            Use this HTTP or SOCKS proxy; an empty value means none. (default: from the environment; with --guard, none)
            """, valueName: "url", visibility: .rare),
        transform: ProxyArgument.parsing(
            expecting: "the URL of a proxy, such as http://localhost:3128 or socks5://localhost:1080"))
    var proxy: ProxyArgument?

    @Option(help: ArgumentHelp("Retry up to this many times after a transient failure.", valueName: "n"))
    var retry = 0

    @Option(
        help: ArgumentHelp("Refuse images larger than this, such as 10MB.", valueName: "bytes", visibility: .rare),
        transform: ByteCount.parsing(expecting: ByteCount.expectation))
    var maxBytes: ByteCount?

    @Option(help: ArgumentHelp("Follow at most this many redirects.", valueName: "n", visibility: .rare))
    var maxRedirects = 10

    @Flag(
        name: .customLong("guard"),
        help: ArgumentHelp(
            """
            Load only http and https URLs on ports 80 and 443, and only from public addresses, as a server should for \
            URLs that its users choose.
            """,
            visibility: .rare))
    var isGuarded = false

    @Flag(
        name: .customLong("http1"),
        help: ArgumentHelp("Use HTTP/1.1 only, even if the server supports HTTP/2.", visibility: .rare))
    var usesHTTP1Only = false

    @Option(
        help: ArgumentHelp(
            "Give up after this many seconds without progress. (default: 15, and 10 to connect)",
            valueName: "seconds"),
        transform: TimeoutArgument.parsing(expecting: TimeoutArgument.expectation))
    var timeout: TimeoutArgument?

    @Option(
        help: ArgumentHelp(
            """
            End an attempt after this many seconds, even if it makes progress. (default: 900; with --limit-rate, \
            no limit)
            """,
            valueName: "seconds", visibility: .rare),
        transform: TimeoutArgument.parsing(expecting: TimeoutArgument.expectation))
    var maxTime: TimeoutArgument?

    @Option(
        help: ArgumentHelp(
            "Give up if fewer bytes a second arrive, on average over 30 seconds; 0 for no limit. (default: 1kB)",
            valueName: "bytes", visibility: .rare),
        transform: ByteCount.parsing(expecting: ByteCount.expectation))
    var minRate: ByteCount?

    @Option(
        help: ArgumentHelp(
            "Let all transfers together receive at most this many bytes a second, such as 500kB.", valueName: "bytes",
            visibility: .rare),
        transform: ByteCount.parsing(expecting: ByteCount.expectation))
    var limitRate: ByteCount?

    @OptionGroup var sandbox: SandboxOption

    func validate() throws {
        try validate(retry, in: 0...100, for: "--retry")
        try validate(maxRedirects, in: 0...100, for: "--max-redirects")
        if let maxBytes, maxBytes.bytes == 0 {
            throw ValidationError("--max-bytes: expected at least 1 byte, got 0")
        }
        if let limitRate, limitRate.bytes == 0 {
            throw ValidationError("--limit-rate: expected at least 1 byte a second, got 0")
        }
    }

    var configuration: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        if let timeout {
            configuration.idleTimeout = timeout.duration
            configuration.connectTimeout = timeout.duration
        }
        if let maxTime { configuration.totalTimeout = maxTime.duration }
        if let minRate {
            let (byteCount, overflow) = minRate.bytes.multipliedReportingOverflow(by: 30)
            configuration.minimumRate = MinimumRate(byteCount: overflow ? .max : byteCount, interval: .seconds(30))
        }
        if let limitRate {
            configuration.maximumBytesPerSecond = limitRate.bytes
            // A limited transfer may take any time; the minimum rate ends one whose server is slow.
            if maxTime == nil { configuration.totalTimeout = nil }
        }
        configuration.hostsWithUncheckedCertificates = Set(insecure.map(\.name))
        // A proxy resolves names itself, so it reaches servers that the guard forbids.
        configuration.proxy = proxy?.setting ?? (isGuarded ? .direct : .environment)
        configuration.retry = RetryPolicy(maximumAttempts: retry + 1)
        configuration.maximumRedirects = maxRedirects
        configuration.serverGuard = isGuarded ? .standard : nil
        configuration.allowsHTTP2 = !usesHTTP1Only
        return configuration
    }

    /// Returns a pipeline for one run of the command. It keeps no images in memory, because each is wanted once.
    ///
    /// - Parameters:
    ///   - disk: The disk cache; `nil` for none.
    ///   - concurrency: The maximum number of transfers, also to one host; `nil` for the default.
    ///   - observers: Receive the stages of each load.
    ///   - interruption: Cancels the loads.
    func pipeline(
        disk: DiskCache?, concurrency: Int? = nil, observers: [any PipelineObserver] = [],
        until interruption: Interruption
    ) -> InterruptiblePipeline {
        var downloader = configuration
        if let concurrency {
            (downloader.maximumConcurrentDownloads, downloader.connectionsPerHost) = (concurrency, concurrency)
        }
        var configuration = PipelineConfiguration.standard(downloader: downloader, memory: nil, disk: disk)
        configuration.coders = sandbox.coders
        configuration.interceptors.append(TransferRequests(fields: fields, usesCookies: cookies))
        configuration.observers += observers
        if let maxBytes { configuration.maximumByteCount = maxBytes.bytes }
        return InterruptiblePipeline(ImagePipeline(configuration), until: interruption)
    }

    /// The header fields of every request, with names in lower case. Fields with the same name are joined into one list
    /// (RFC 9110, section 5.3; for cookies RFC 6265, section 4.2.1). A field of an option replaces the one that
    /// ``user`` sets.
    var fields: [String: String] {
        var fields: [String: String] = [:]
        for field in headers {
            let name = field.name.lowercased()
            fields[name] = fields[name].map { $0 + (name == "cookie" ? "; " : ", ") + field.value } ?? field.value
        }
        if let user, fields["authorization"] == nil { fields["authorization"] = user.credential.authorization }
        return fields
    }
}

/// Adds header fields and the cookie setting to requests for HTTP URLs.
///
/// The header fields become part of the cache key, because a server may send another image for other fields.
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

/// A header field, given as `name: value`.
struct HeaderField: ExpressibleByArgument {
    let name: String
    let value: String

    /// Accepts only the characters of RFC 9110, sections 5.1 and 5.5. A line break would start another field.
    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        name = String(argument[..<colon])
        value = argument[argument.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken), value.utf8.allSatisfy(Self.isFieldValue) else {
            return nil
        }
    }

    private static func isFieldValue(_ byte: UInt8) -> Bool { byte == 9 || byte >= 0x20 && byte != 0x7F }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
    }
}

/// A user name and password, given as `name:password`. The password may be missing, and may contain colons.
struct UserArgument: ExpressibleByArgument {
    let credential: HTTPCredential

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let user = parts.first, !user.isEmpty else { return nil }
        credential = .basic(user: user, password: parts.count > 1 ? parts[1] : "")
    }
}

/// The name or address of a host, without scheme and port.
struct HostArgument: ExpressibleByArgument {
    /// The host as it appears in URLs, in lower case.
    let name: String

    init?(argument: String) {
        let isIPv6 = argument.contains("::") && !argument.hasPrefix("[")
        let text = isIPv6 ? "[\(argument)]" : argument
        guard let url = URL(string: "https://\(text)/"), url.absoluteString == "https://\(text)/", url.path() == "/",
            url.port == nil, url.user() == nil, let host = url.host(), !host.isEmpty
        else { return nil }
        name = host.lowercased()
    }
}

/// The URL of a proxy, or an empty string for none.
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

/// A timeout in seconds, above 0 and at most one day.
struct TimeoutArgument: ExpressibleByArgument {
    let duration: Duration

    /// The valid values, as an error message describes them.
    static let expectation = "a number of seconds above 0 and at most 86400"

    init?(argument: String) {
        guard let seconds = Double(argument), seconds.isFinite, seconds > 0, seconds <= 86_400 else { return nil }
        duration = .seconds(seconds)
    }
}
