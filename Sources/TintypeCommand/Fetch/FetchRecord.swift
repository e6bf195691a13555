import Foundation
import Tintype

/// The result of one load, as `--json` writes it.
enum FetchRecord: Encodable {
    case loaded(Loaded)
    /// The output exists and is left, or the run is dry.
    case unloaded(Unloaded)
    case failed(Failed)

    struct Unloaded: Encodable {
        let url: String
        let outcome: String
        /// The path of the file, if it is known.
        let output: String?
    }

    struct Loaded: Encodable {
        let url: String
        let source: String
        let format: String
        let width: Int
        let height: Int
        let frameCount: Int
        let bytes: Int
        let milliseconds: Double
        var output: String?
        /// `true` if only a part of the image could be decoded, otherwise `nil`.
        var isPartial: Bool?
        /// Why the image comes from the cache although it should have been revalidated.
        var revalidationFailure: Reason?
        /// The metrics of the transfer, if there was one and they are requested.
        var metrics: MetricsRecord?
        /// The warning for a person. Not part of the JSON.
        let warning: String?

        private enum CodingKeys: String, CodingKey {
            case url, source, format, width, height, frameCount, bytes, milliseconds, output, isPartial,
                revalidationFailure
            case metrics
        }
    }

    struct Reason: Encodable {
        let code: String
        let message: String

        init(_ error: TintypeError) {
            code = error.code.rawValue
            message = error.message
        }
    }

    struct Failed: Encodable {
        let url: String
        let error: Reason
        /// The error message for a person, on one line. Not part of the JSON.
        let description: String

        private enum CodingKeys: String, CodingKey {
            case url, error
        }
    }

    /// - Parameter size: The size to report, in pixels.
    init(
        _ url: String, _ response: ImageResponse, _ size: PixelSize, in duration: Duration, output: String?
    ) {
        let url = SourceArgument.displayName(of: url)
        self = .loaded(
            Loaded(
                url: url, source: response.origin.rawValue, format: response.image.info.format.rawValue,
                width: size.width, height: size.height,
                frameCount: response.image.info.frameCount, bytes: response.byteCount ?? 0,
                milliseconds: duration.inMilliseconds, output: output,
                isPartial: response.image.isPartial ? true : nil,
                revalidationFailure: response.revalidationFailure.map(Reason.init),
                metrics: response.metrics.map(MetricsRecord.init), warning: Self.warning(url, response)))
    }

    private static func warning(_ url: String, _ response: ImageResponse) -> String? {
        guard let failure = response.revalidationFailure else { return PartialOptions.warning(url, response) }
        return "tintype: \(url): using the cached image, which could not be refreshed: \(failure.message)"
    }

    init(_ url: String, _ outcome: BatchOutcome, output: String?) {
        self = .unloaded(
            Unloaded(url: SourceArgument.displayName(of: url), outcome: outcome.rawValue, output: output))
    }

    init(_ url: String, _ error: TintypeError, _ hint: FailureHint) {
        let url = SourceArgument.displayName(of: url)
        self = .failed(Failed(url: url, error: Reason(error), description: hint.description(error.about(url))))
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .loaded(let record): try record.encode(to: encoder)
        case .unloaded(let record): try record.encode(to: encoder)
        case .failed(let record): try record.encode(to: encoder)
        }
    }

    /// A warning about a load that succeeded only in part, for standard error.
    var warning: String? {
        guard case .loaded(let record) = self else { return nil }
        return record.warning
    }

    /// The outcome for the image.
    var outcome: BatchOutcome {
        switch self {
        case .loaded: .written
        case .unloaded(let record): BatchOutcome(rawValue: record.outcome) ?? .skipped
        case .failed: .failed
        }
    }

    /// Whether the load ended because the user interrupted the command.
    var isCancelled: Bool {
        guard case .failed(let record) = self else { return false }
        return record.error.code == TintypeError.Code.cancelled.rawValue
    }

    var withoutMetrics: FetchRecord {
        guard case .loaded(var record) = self else { return self }
        record.metrics = nil
        return .loaded(record)
    }

    /// The line about a failure, for standard error.
    var failure: String? {
        guard case .failed(let record) = self else { return nil }
        return "tintype: \(record.description)"
    }

    /// The lines of the human-readable output: one for the image, and one for its metrics if there are any.
    var lines: [StyledText] {
        if case .unloaded(let record) = self {
            return [
                StyledText(record.outcome.padded(8), .secondary) + StyledText(record.output ?? record.url)
            ]
        }
        guard case .loaded(let record) = self else { return [] }
        guard let metrics = record.metrics else { return [record.line] }
        return [record.line, StyledText("        \(metrics.line)", .secondary)]
    }
}

extension FetchRecord.Loaded {
    /// The line of the human-readable output.
    fileprivate var line: StyledText {
        StyledText(source.padded(8), .success)
            + StyledText(
                format.padded(6) + "\(width)×\(height)".padded(12) + HumanFormat.bytes(bytes).padded(9)
                    + HumanFormat.duration(.seconds(milliseconds / 1000)).padded(9) + (output ?? url))
    }
}

/// The metrics of a transfer, as `--metrics` reports them. Times are in milliseconds.
struct MetricsRecord: Encodable {
    let queued: Double
    /// `nil` if the connection was reused, like the next three, or if the URL has an address.
    let nameLookup: Double?
    let connecting: Double?
    /// `nil` without TLS.
    let handshake: Double?
    let roundTrip: Double?
    let firstByte: Double
    let body: Double
    let total: Double
    let wireBytes: Int
    let bodyBytes: Int
    let resumedBytes: Int
    let httpVersion: String
    let isEncrypted: Bool
    let isConnectionReused: Bool?
    let attempts: Int
    let redirects: Int
    let status: Int

    init(_ metrics: TransferMetrics) {
        queued = metrics.queued.inMilliseconds
        nameLookup = metrics.nameLookup?.inMilliseconds
        connecting = metrics.connecting?.inMilliseconds
        handshake = metrics.handshake?.inMilliseconds
        roundTrip = metrics.roundTrip?.inMilliseconds
        firstByte = metrics.firstByte.inMilliseconds
        body = metrics.body.inMilliseconds
        total = metrics.total.inMilliseconds
        wireBytes = metrics.wireBytes
        bodyBytes = metrics.bodyBytes
        resumedBytes = metrics.resumedBytes
        httpVersion = metrics.httpVersion
        isEncrypted = metrics.isEncrypted
        isConnectionReused = metrics.isConnectionReused
        attempts = metrics.attempts
        redirects = metrics.redirects
        status = metrics.status
    }

    /// The line of the human-readable output.
    var line: String {
        var parts = ["queued \(Self.time(queued))"]
        if let nameLookup { parts.append("name \(Self.time(nameLookup))") }
        if let connecting { parts.append("connecting \(Self.time(connecting))") }
        if let handshake { parts.append("handshake \(Self.time(handshake))") }
        if let roundTrip { parts.append("round trip \(Self.time(roundTrip))") }
        // `nil` means unknown, which is not reported.
        if isConnectionReused == true { parts.append("connection reused") }
        parts += [
            "first byte \(Self.time(firstByte))", "body \(Self.time(body))",
            "\(HumanFormat.bytes(wireBytes)) on the wire", "\(httpVersion)\(isEncrypted ? " over TLS" : "")",
        ]
        if resumedBytes > 0 { parts.append("\(HumanFormat.bytes(resumedBytes)) resumed") }
        if attempts > 1 { parts.append("\(attempts) attempts") }
        if redirects > 0 { parts.append(HumanFormat.count(redirects, "redirect", "redirects")) }
        return parts.joined(separator: ", ")
    }

    private static func time(_ milliseconds: Double) -> String {
        HumanFormat.duration(.seconds(milliseconds / 1000))
    }
}
