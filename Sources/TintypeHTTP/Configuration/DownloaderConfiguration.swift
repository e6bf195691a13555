/// The settings of a ``Downloader``.
public struct DownloaderConfiguration: Sendable {
    /// Transfers at once; others wait in order of priority. 6 by default.
    public var maximumConcurrentDownloads = 6

    /// HTTP/1.1 connections to one host at once. 6 by default.
    public var connectionsPerHost = 6

    /// Until a connection stands. 10 s by default.
    public var connectTimeout = Duration.seconds(10)

    /// Without a byte from the other side. 15 s by default.
    public var idleTimeout = Duration.seconds(15)

    /// Redirects that are followed. 10 by default.
    public var maximumRedirects = 10

    /// Header fields of every request; a source's own come before them.
    public var headers: [String: String] = [:]

    /// `User-Agent`, unless ``headers`` has one.
    public var userAgent = "Tintype/0.1"

    /// `Accept`, unless ``headers`` has one.
    public var accept = "image/*,*/*;q=0.8"

    /// Statuses of responses whose body is taken for a picture.
    public var acceptableStatusCodes = 200..<300

    public init() {}
}
