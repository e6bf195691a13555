/// The address, credentials and limits of one Redis or Valkey server.
///
/// Its descriptions contain neither the password nor a private key.
public struct RedisConfiguration: Hashable, Sendable {
    /// Where a server listens.
    public enum Address: Hashable, Sendable {
        /// A host name, an IPv4 address, or an IPv6 address without brackets, and a TCP port from 1 to 65535.
        case host(String, port: Int)
        /// The path of a Unix domain socket.
        case unixSocket(String)
    }

    /// Where the server listens.
    public var address: Address
    /// The user name; `nil` is the server's default user. Servers before Redis 6 have no user names.
    public var user: String?
    /// The password; `nil` for none.
    public var password: String? {
        get { secret?.text }
        set { secret = newValue.map(RedisSecret.init) }
    }
    /// The number of the database, 0 by default.
    public var database = 0
    /// The settings of TLS; `nil`, the default, sends everything in the clear.
    public var tls: RedisTLS?

    /// The time in which a connection must be open, with TLS and authentication. 200 ms by default.
    public var connectTimeout = Duration.milliseconds(200)
    /// The time from sending a command to its reply. 50 ms by default. When it passes, the connection is closed,
    /// because the reply to the next command could not be told from a late one; all commands that wait on it fail.
    public var commandTimeout = Duration.milliseconds(50)
    /// The number of connections, 3 by default. Values outside of 1 to 16 count as the nearest. If there are several,
    /// the first carries only small commands, such as those for leases, which then do not wait behind large values.
    public var connectionCount = 3
    /// The size of the largest value that is stored or read, in bytes. 64 KiB by default: a server answers one command
    /// at a time, and a large value delays all others.
    public var maximumValueSize = 65_536

    private var secret: RedisSecret?

    /// Creates the configuration of a server without credentials and TLS.
    public init(_ address: Address) {
        self.address = address
    }

    /// Creates the configuration of a server without credentials and TLS.
    public init(host: String, port: Int = 6379) {
        self.init(.host(host, port: port))
    }

    /// The server and its database, for messages and logs, such as `cache.example:6379/2`. It has no credentials.
    public var name: String {
        let place =
            switch address {
            case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .unixSocket(let path): path
            }
        return database == 0 ? place : "\(place)/\(database)"
    }
}

extension RedisConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    /// The server, its database and whether it is reached by TLS.
    public var description: String { tls == nil ? name : "\(name) (TLS)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
}

/// How a server is verified over TLS, and how it verifies this client.
public struct RedisTLS: Hashable, Sendable {
    /// The certificates of which one must have signed that of the server, in PEM format. `nil`, the default, trusts
    /// those of the system.
    public var trustedCertificates: String?
    /// The certificate of this client, followed by those that signed it, in PEM format; `nil` for none.
    public var certificates: String?
    /// The private key of ``certificates``, in PEM format.
    public var privateKey: String? {
        get { secret?.text }
        set { secret = newValue.map(RedisSecret.init) }
    }

    private var secret: RedisSecret?

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - trustedCertificates: Certificates in PEM format; `nil` trusts those of the system.
    ///   - certificates: The certificate of this client, in PEM format.
    ///   - privateKey: Its private key, in PEM format.
    public init(trustedCertificates: String? = nil, certificates: String? = nil, privateKey: String? = nil) {
        self.trustedCertificates = trustedCertificates
        self.certificates = certificates
        self.privateKey = privateKey
    }
}

/// A text that no description, reflection or log shows.
struct RedisSecret: Hashable, Sendable {
    let text: String
}

extension RedisSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "<secret>" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
