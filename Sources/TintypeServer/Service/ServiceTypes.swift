package import Foundation
import TintypeCore
package import TintypeHTTP
import TintypeShared

/// A request as the socket layer hands it over.
package struct ServerRequest: Sendable {
    /// The method, in upper case.
    package var method: String
    /// The request target as it was sent: not decoded, with the query.
    package var target: String
    /// The header fields.
    package var fields: HTTPFields
    /// The identifier of the request, for the log and for errors.
    package var id: String
    /// The body; `nil` for none, and for requests whose body has no meaning here.
    package var body: Data?
    /// The address of the client, as trusted proxies state it; `nil` if it is unknown.
    package var client: String?
    /// The connection of the client; `nil` if it cannot leave.
    package var connection: ClientConnection?

    /// Creates a request.
    package init(
        method: String, target: String, fields: HTTPFields = HTTPFields(), id: String, body: Data? = nil,
        client: String? = nil
    ) {
        (self.method, self.target, self.fields, self.id, self.body) = (method, target, fields, id, body)
        self.client = client
    }
}

/// A response, and what the log and the metrics tell of it.
package struct ServiceResponse: Sendable {
    /// The status code.
    package let status: Int
    /// The header fields.
    package let fields: HTTPFields
    /// The body; `nil` for none.
    package let body: Data?
    /// The body that is sent while it arrives; `nil` for none.
    package let stream: BodyStream?
    /// How the response was made.
    let report: ServiceReport
    /// What the sockets send of it; `nil` for a response that is sent once.
    package private(set) var wire: WireForm?

    init(_ response: ServerResponse, _ report: ServiceReport, stream: BodyStream? = nil) {
        (status, fields, body) = (response.status, response.fields, response.body)
        (self.report, self.stream) = (report, stream)
    }

    /// Returns the response, to be sent several times.
    var repeated: ServiceResponse {
        var response = self
        response.wire = WireForm()
        return response
    }

    /// Returns the response with the body that a method permits.
    func answering(_ method: String) -> ServiceResponse {
        method == "HEAD"
            ? ServiceResponse(ServerResponse(status: status, fields: fields, body: body).withoutBody, report) : self
    }
}

/// What the socket layer has made of a response, so that it need not make it again.
package final class WireForm: Sendable {
    private let form = Locked<(any Sendable)?>(nil)

    /// Returns what was made for the first call. All calls must ask for the same type.
    package func form<Form: Sendable>(_ make: () -> Form) -> Form {
        if let made = form.withLock({ $0 }) as? Form { return made }
        let made = make()
        form.withLock { $0 = made }
        return made
    }
}

/// Where requests share work.
enum WorkScope: String, Sendable {
    /// In this process.
    case process
    /// On several machines, by a lease.
    case cluster
}

/// The times of the work that makes a rendition.
struct WorkTimes: Hashable, Sendable {
    /// The wait for a worker.
    var queueing = Duration.zero
    /// Decoding and transforming.
    var decoding = Duration.zero
    /// Encoding.
    var encoding = Duration.zero
}

/// How a response was made.
struct ServiceReport: Sendable {
    /// The cache that had the rendition; `nil` if it was made, or for a failure.
    var tier: RenditionCache.Tier?
    /// Where the bytes of the source came from; `nil` if they were not needed.
    var sourceOrigin: ImageOrigin?
    /// Whether the source may have changed, but was used as it was.
    var isStale = false
    /// The host of the source.
    var host = ""
    /// The time to load the source.
    var download: Duration?
    /// The times of the work of this request; `nil` if it did none, or another request did it.
    var work: WorkTimes?
    /// Where the request met another one, whose work it shared; `nil` if it shared none.
    var shared: WorkScope?
    /// The digest of the source, with which the keys of its renditions begin.
    var key: String?
    /// What was odd about the URL.
    var warnings: [String] = []
    /// The names for `Vary`.
    var vary: [String] = []
    /// What the result has less of than its source; `nil` for nothing.
    var loss: String?
    /// Why there is no image.
    var failure: Failure?
}

/// Everything that a service needs.
package struct ServiceConfiguration: Sendable {
    /// Loads, decodes and encodes. Its disk cache has the bytes of sources.
    var pipeline: ImagePipeline
    /// Reads and verifies URLs.
    var urls: ImageURLParser
    /// The limits and defaults of results.
    var rendering = RenderingSettings()
    /// The choice of the output format.
    var formats = OutputFormats()
    /// The header fields that choose a rendition.
    var negotiation = NegotiationSettings()
    /// The freshness that responses state.
    var cacheLimits = HostCacheLimits()
    /// The web origins that may read responses.
    var crossOrigin = CrossOriginPolicy.none
    /// The folder of `local:` URLs; `nil` refuses them.
    var localRoot: URL?
    /// The renditions in memory, in bytes.
    var renditionMemory = 64 << 20
    /// The cache of renditions below the memory: the disk, and shared tiers.
    var renditionCache: (any DataCaching)?
    /// The part of ``renditionCache`` on this machine.
    var renditionDisk: (any DataCaching)?
    /// The watermark of the operator; `nil` for none.
    var watermark: Watermark?
    /// The image that replaces the body of an error; `nil` for none.
    var fallback: FallbackImage?
    /// For how long caches keep an image that a URL names for failures, in seconds.
    var fallbackLifetime = 60
    /// Passes sources through as they are for the option `raw`; `nil` refuses it.
    var passThrough: PassThrough?
    /// The bearer token that each request must have; `nil` for none.
    var gate: BearerGate?
    /// Makes each rendition once on all machines; `nil` without a store for leases.
    var leases: LeasedComputation?
    /// Returns the states of the circuit breakers of shared stores, by the names of the stores.
    var breakers: @Sendable () -> [String: BreakerState] = { [:] }
    /// Counts lookups in memory; `nil` counts nothing.
    var metrics: ServerMetrics?
    /// Makes the spans of requests.
    var tracer = RequestTracer()
    /// The largest number of sources that the server remembers.
    var recordCount = 100_000
    /// How many images are decoded at once, and how many wait.
    var admission = AdmissionLimits(workers: 2, decodedBytes: 512 << 20)
    /// The time until which an image must have had its turn.
    var requestTimeout = Duration.seconds(20)
    /// Whether errors name their causes.
    var isDevelopment = false

    /// Creates a configuration with default limits.
    init(pipeline: ImagePipeline, urls: ImageURLParser) {
        (self.pipeline, self.urls) = (pipeline, urls)
    }
}

/// A failure that is answered from memory for a short time, so that a broken source or option is not tried by each
/// request.
struct RememberedFailure: Sendable {
    private let failure: Failure
    private let end: Date

    /// - Returns: `nil` if the failure says nothing about the next request.
    init?(_ failure: Failure, now: Date) {
        guard let lifetime = failure.negativeLifetime else { return nil }
        (self.failure, end) = (failure, now.addingTimeInterval(Double(lifetime)))
    }

    /// Returns the failure, as long as it is remembered.
    func failure(at now: Date) -> Failure? { now < end ? failure : nil }
}

extension Failure {
    /// The error by which other machines learn of the failure. Those that do not come from the source let another
    /// machine do the work.
    var pipelineError: TintypeError {
        switch kind {
        case .unprocessable, .unsupportedOutput: TintypeError(.undecodable, stage: .decode, detail)
        case .clientGone: TintypeError(.cancelled, stage: .transform, detail)
        default: TintypeError(.noWorker, stage: .transform, detail)
        }
    }

    /// Translates an error of a URL.
    init(_ error: ImageURLError) {
        let kind: Kind =
            switch error.status {
            case 403: error.kind == .signature ? .badSignature : .forbiddenSource
            case 410: .expired
            default: .invalidRequest
            }
        self.init(kind, code: error.kind.rawValue, detail: error.detail)
    }
}

extension ImageURL {
    /// The name of the result without an extension: that of the options, else the last part of the source's path.
    var stem: String {
        if !options.fileName.isEmpty { return options.fileName }
        let last = source.path.split(separator: "/").last.map(String.init) ?? ""
        let name = last.removingPercentEncoding ?? last
        return name.split(separator: ".", omittingEmptySubsequences: false).dropLast().joined(separator: ".")
    }
}
