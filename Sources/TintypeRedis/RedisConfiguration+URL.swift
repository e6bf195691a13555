import Foundation
public import TintypeCore

extension RedisConfiguration {
    /// Parses `redis://user:password@host:port/database`, the same with `rediss:` for TLS, or
    /// `unix://user:password@/path?db=database` for a Unix domain socket.
    ///
    /// All parts but the host, or the path of a socket, may be missing. The default port is 6379. Characters of the
    /// user name and the password that have a meaning in URLs must be percent-encoded.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` if the text is no such URL. The error does not quote
    ///   it.
    public init(url text: String) throws(TintypeError) {
        guard let parts = URLComponents(string: text, encodingInvalidCharacters: false), let scheme = parts.scheme,
            parts.fragment == nil
        else {
            throw Self.invalid("expected redis://user:password@host:port/database; percent-encode other characters")
        }
        switch scheme.lowercased() {
        case "redis": self.init(try Self.tcpAddress(parts))
        case "rediss":
            self.init(try Self.tcpAddress(parts))
            tls = RedisTLS()
        case "unix": self.init(try Self.socketAddress(parts))
        default: throw Self.invalid("expected the scheme redis, rediss or unix, got \"\(scheme)\"")
        }
        user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
        password = parts.password.flatMap { $0.isEmpty ? nil : $0 }
        database = try Self.database(parts, isSocket: scheme.lowercased() == "unix")
    }

    /// Sets the password to the content of a file, without line breaks at its end.
    ///
    /// - Throws: `TintypeError.Code.unreadable` if the file cannot be read, is empty, or has more than
    ///   4096 bytes.
    public mutating func readPassword(fromFile path: String) throws(TintypeError) {
        let content: Data?
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            content = try file.read(upToCount: Self.maximumPasswordSize + 1)
        } catch {
            throw TintypeError(
                .unreadable, stage: .request, "the file of a password cannot be read", subject: path, underlying: error)
        }
        guard let content, content.count <= Self.maximumPasswordSize, let text = String(data: content, encoding: .utf8)
        else { throw Self.unreadable(path) }
        var password = text
        while password.last?.isNewline == true { password.removeLast() }
        guard !password.isEmpty else { throw Self.unreadable(path) }
        self.password = password
    }

    private static let maximumPasswordSize = 4096

    private static func unreadable(_ path: String) -> TintypeError {
        TintypeError(
            .unreadable, stage: .request, "the file of a password must have 1 to \(maximumPasswordSize) bytes of text",
            subject: path)
    }

    private static func tcpAddress(_ parts: URLComponents) throws(TintypeError) -> Address {
        guard let host = parts.host, !host.isEmpty else { throw invalid("the host is missing") }
        let port = parts.port ?? 6379
        guard (1...65_535).contains(port) else { throw invalid("expected a port from 1 to 65535, got \(port)") }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return .host(isBracketed ? String(host.dropFirst().dropLast()) : host, port: port)
    }

    private static func socketAddress(_ parts: URLComponents) throws(TintypeError) -> Address {
        guard parts.host ?? "" == "", parts.port == nil, parts.path.hasPrefix("/") else {
            throw invalid("expected the absolute path of a socket: unix:///path")
        }
        return .unixSocket(parts.path)
    }

    private static func database(_ parts: URLComponents, isSocket: Bool) throws(TintypeError) -> Int {
        var text = isSocket ? "" : String(parts.path.drop { $0 == "/" })
        for item in parts.queryItems ?? [] {
            guard isSocket, item.name == "db" else { throw invalid("unknown parameter \"\(item.name)\"") }
            text = item.value ?? ""
        }
        guard !text.isEmpty else { return 0 }
        guard let number = Int(text), (0...1_000_000).contains(number) else {
            throw invalid("expected the number of a database, got \"\(text)\"")
        }
        return number
    }

    private static func invalid(_ reason: String) -> TintypeError {
        TintypeError(.invalidSource, stage: .request, reason, subject: "the URL of a Redis server")
    }
}
