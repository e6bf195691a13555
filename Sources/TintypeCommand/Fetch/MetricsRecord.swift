import Foundation
import Tintype

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
