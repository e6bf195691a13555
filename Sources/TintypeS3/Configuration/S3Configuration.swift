public import Foundation
public import TintypeCore
public import TintypeHTTP

/// The settings of a store with the protocol of Amazon S3.
public struct S3Configuration: Sendable {
    /// The URL of the store, such as `http://127.0.0.1:8333`; `nil` for AWS.
    public var endpoint: URL?
    /// The region, which is part of every signature.
    public var region: String
    /// The bucket of an ``S3Store``, and the only one from which an ``S3Loader`` loads by default.
    public var bucket: String
    /// The beginning of all keys of an ``S3Store``, such as `images/`. Empty by default.
    public var prefix = ""
    /// Whether a bucket is the first part of the path, as in `http://127.0.0.1:8333/bucket/key`, instead of a part of
    /// the host. By default for every endpoint except AWS.
    ///
    /// A bucket that cannot be a part of a host with TLS, because its name has a dot, for example, is always in the
    /// path.
    public var usesPathStyle: Bool
    /// The keys that requests are signed with; `nil` sends them without a signature, for public buckets.
    public var credentials: S3Credentials?
    /// The limits of requests that a user waits for: those that read the values of an ``S3Store``.
    public var requestLimits = S3Limits.request
    /// The limits of requests that nobody waits for: those that write and remove the values of an ``S3Store``.
    public var backgroundLimits = S3Limits.background
    /// The limits of the requests of an ``S3Loader``.
    public var sourceLimits = S3Limits.source
    /// The largest value of an ``S3Store``, in bytes: 64 MB by default.
    public var maximumValueSize = 64 << 20
    /// The maximum number of objects that an ``S3Loader`` receives at once, the most urgent first: 32 by default.
    public var maximumConcurrentLoads = 32
    /// The settings for TLS.
    public var security = TransportSecurity()
    /// The proxy; `nil` for none.
    public var proxy: ProxyServer?
    /// Sends the requests. `CurlTransport.shared` by default.
    public var transport: any HTTPTransport = CurlTransport.shared
    /// The clocks and random numbers, which tests replace.
    package var clock = TransferClock.system

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - bucket: The bucket.
    ///   - endpoint: The URL of the store; `nil` for AWS.
    ///   - region: The region.
    ///   - credentials: The keys that requests are signed with; `nil` for none.
    public init(
        bucket: String, endpoint: URL? = nil, region: String = "us-east-1", credentials: S3Credentials? = nil
    ) {
        self.bucket = bucket
        self.endpoint = endpoint
        self.region = region
        self.credentials = credentials
        usesPathStyle = endpoint != nil
    }

    /// Creates settings from the environment variables of AWS tools: `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`,
    /// `AWS_REGION` or `AWS_DEFAULT_REGION`, and the keys of ``S3Credentials/standard(environment:)``. Blocks.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` if the endpoint is not a URL; the errors of
    ///   ``S3Credentials/standard(environment:)``.
    public init(bucket: String, environment variables: [String: String]) throws(TintypeError) {
        let value = { (names: [String]) in names.compactMap { variables[$0] }.first { !$0.isEmpty } }
        let text = value(["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"])
        let endpoint = text.flatMap { URL(string: $0) }
        guard text == nil || endpoint != nil else {
            throw TintypeError(.invalidSource, stage: .request, "the endpoint in the environment is not a URL")
        }
        self.init(
            bucket: bucket, endpoint: endpoint, region: value(["AWS_REGION", "AWS_DEFAULT_REGION"]) ?? "us-east-1",
            credentials: try S3Credentials.standard(environment: variables))
    }

    /// The place of the store.
    ///
    /// - Throws: `TintypeError.Code.invalidSource`.
    var place: S3Endpoint {
        get throws(TintypeError) {
            guard let endpoint else { return try S3Endpoint(region: region, usesPathStyle: usesPathStyle) }
            guard S3Endpoint.isRegion(region) else {
                throw TintypeError(.invalidSource, stage: .request, "not the name of a region", subject: region)
            }
            return try S3Endpoint(endpoint, usesPathStyle: usesPathStyle)
        }
    }
}

extension S3Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The bucket, the endpoint and the region.
    public var description: String {
        "S3Configuration(\(bucket), \(endpoint?.withoutCredential.absoluteString ?? "AWS"), \(region))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without anything that may have a secret: the keys, the proxy and the settings for TLS.
    public var customMirror: Mirror {
        Mirror(self, children: ["bucket": bucket, "region": region, "prefix": prefix])
    }
}

/// How long a request to a store may take, and how often it is sent again.
public struct S3Limits: Hashable, Sendable {
    /// The longest time until a connection is established.
    public var connecting: Duration
    /// The longest time from the beginning of a request to the beginning of its response.
    public var firstByte: Duration
    /// The longest time without progress of a response that has begun.
    public var idle: Duration
    /// The longest time of one attempt.
    public var attempt: Duration
    /// The longest time of all attempts and the pauses between them.
    public var total: Duration
    /// The maximum number of attempts after the first.
    public var maximumRetries: Int
    /// Whether an attempt that took too long is repeated.
    public var retriesTimeouts: Bool

    /// Creates limits.
    public init(
        connecting: Duration, firstByte: Duration, idle: Duration, attempt: Duration, total: Duration,
        maximumRetries: Int, retriesTimeouts: Bool
    ) {
        self.connecting = connecting
        self.firstByte = firstByte
        self.idle = idle
        self.attempt = attempt
        self.total = total
        self.maximumRetries = maximumRetries
        self.retriesTimeouts = retriesTimeouts
    }

    /// For a cache that a user waits for: 500 ms to connect, 500 ms to the first byte, 2 s in all, and one retry. A
    /// time-out is a miss, so it is not repeated.
    public static let request = S3Limits(
        connecting: .milliseconds(500), firstByte: .milliseconds(500), idle: .milliseconds(500), attempt: .seconds(2),
        total: .seconds(2), maximumRetries: 1, retriesTimeouts: false)
    /// For writes in the background: 500 ms to connect, 10 s for each attempt, and three retries.
    public static let background = S3Limits(
        connecting: .milliseconds(500), firstByte: .seconds(10), idle: .seconds(10), attempt: .seconds(10),
        total: .seconds(45), maximumRetries: 3, retriesTimeouts: true)
    /// For the sources of images: 5 s to connect, 5 s without progress, 15 s in all, and one retry.
    public static let source = S3Limits(
        connecting: .seconds(5), firstByte: .seconds(5), idle: .seconds(5), attempt: .seconds(15),
        total: .seconds(15), maximumRetries: 1, retriesTimeouts: false)
}
