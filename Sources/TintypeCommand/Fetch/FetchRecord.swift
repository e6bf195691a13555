import Foundation
import Tintype

/// What became of one URL, as `--json` writes it.
enum FetchRecord: Encodable {
    case loaded(Loaded)
    case failed(Failed)

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
        /// Set where only a part of the picture could be shown.
        var isPartial: Bool?
        /// Why this is what the cache had, when the origin should have been asked and could not be.
        var refreshFailure: Reason?
        /// How the bytes were transferred, when they were and it was asked for.
        var metrics: MetricsRecord?
        /// What a person is told of what went wrong and was got over.
        let warning: String?

        private enum CodingKeys: String, CodingKey {
            case url, source, format, width, height, frameCount, bytes, milliseconds, output, isPartial, refreshFailure
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
        /// For a person, on one line.
        let description: String

        private enum CodingKeys: String, CodingKey {
            case url, error
        }
    }

    init(_ url: String, _ response: ImageResponse, in duration: Duration, output: String?) {
        self = .loaded(
            Loaded(
                url: url, source: response.origin.rawValue, format: response.image.info.format.rawValue,
                width: response.image.size.width, height: response.image.size.height,
                frameCount: response.image.info.frameCount, bytes: response.byteCount ?? 0,
                milliseconds: duration.inMilliseconds, output: output,
                isPartial: response.image.isPartial ? true : nil,
                refreshFailure: response.refreshFailure.map(Reason.init),
                metrics: response.metrics.map(MetricsRecord.init), warning: Self.warning(url, response)))
    }

    private static func warning(_ url: String, _ response: ImageResponse) -> String? {
        guard let failure = response.refreshFailure else { return PartialOptions.warning(url, response) }
        return "tintype: \(url): kept from the cache, since it could not be refreshed: \(failure.message)"
    }

    init(_ url: String, _ error: TintypeError) {
        self = .failed(Failed(url: url, error: Reason(error), description: "\(error.about(url))"))
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .loaded(let record): try record.encode(to: encoder)
        case .failed(let record): try record.encode(to: encoder)
        }
    }

    /// A line for a person about what went wrong and was got over.
    var warning: String? {
        guard case .loaded(let record) = self else { return nil }
        return record.warning
    }

    var withoutMetrics: FetchRecord {
        guard case .loaded(var record) = self else { return self }
        record.metrics = nil
        return .loaded(record)
    }

    /// The line for a person, and one more about the transfer where it is told of.
    var lines: [String] {
        guard case .loaded(let record) = self, let metrics = record.metrics else { return [line] }
        return [line, "        \(metrics.line)"]
    }

    /// One line for a person.
    var line: String {
        switch self {
        case .loaded(let record):
            "\(record.source.padded(8))\(record.format.padded(6))\("\(record.width)×\(record.height)".padded(12))"
                + "\(HumanFormat.bytes(record.bytes).padded(9))"
                + "\(HumanFormat.duration(.seconds(record.milliseconds / 1000)).padded(9))"
                + "\(record.output ?? record.url)"
        case .failed(let record): "tintype: \(record.description)"
        }
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self + " "
    }
}

/// What a transfer took, as `--metrics` tells it. Times are milliseconds.
struct MetricsRecord: Encodable {
    let queued: Double
    /// Missing when a connection was used again.
    let connecting: Double?
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
        connecting = metrics.connecting?.inMilliseconds
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

    /// One line for a person.
    var line: String {
        var parts = ["queued \(Self.time(queued))"]
        if let connecting { parts.append("connecting \(Self.time(connecting))") }
        // Where that is not known, nothing is said of it.
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
