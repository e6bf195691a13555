import Foundation
import TintypeCore

/// What the holder of a lease leaves for the other machines if there will be no result.
enum LeaseMark: Sendable {
    /// The work failed in a way that does not depend on the machine.
    case failed(TintypeError)
    /// The holder has given up. Another machine should take the lease.
    case abandoned
    /// The result cannot be shared: no store accepts it.
    case unshared

    /// Creates the mark of an error.
    init(_ error: TintypeError) {
        self = Self.sharedCodes.contains(error.code) ? .failed(error) : .abandoned
    }

    /// The errors that other machines would have too, because they come from the source of the image. Others, such as
    /// lack of memory, must not make a request fail on a machine that could have served it.
    private static let sharedCodes: Set<TintypeError.Code> = [
        .notFound, .badStatus, .badContentType, .tooManyRedirects, .emptyBody, .truncatedBody, .unreachable, .timedOut,
        .transport, .insecure, .undecipherable, .notAnImage, .undecodable, .decoderCrashed,
    ]
}

// MARK: - Values

extension LeaseMark {
    /// Returns the value of the mark, which has the format of a ``SharedEntry``. Its payload has lines: the kind, and
    /// for an error its code, stage, status and message.
    func encoded(for key: CacheKey, at now: Date, lifetime: Duration) -> Data? {
        let lines: [String] =
            switch self {
            case .abandoned: ["abandoned"]
            case .unshared: ["unshared"]
            case .failed(let error):
                [
                    "failed", error.code.rawValue, error.stage.rawValue, error.status.map { "\($0)" } ?? "",
                    error.message,
                ]
            }
        let entry = CacheEntry(
            data: Data(lines.joined(separator: "\n").utf8), format: nil, created: now,
            expires: now.later(by: lifetime))
        return SharedEntry(key: key, entry: entry, stored: now).encoded
    }

    /// Reads the value of a mark. `nil` if it is damaged, has expired, or is an error that a mark must not have.
    init?(decoding value: Data, for key: CacheKey, at now: Date) {
        guard value.count <= Self.maximumLength, let shared = SharedEntry(decoding: value, for: key),
            !shared.isExpired(at: now)
        else { return nil }
        let text = String(decoding: shared.entry.data, as: UTF8.self)
        let lines = text.split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        switch (lines[0], lines.count) {
        case ("abandoned", 1): self = .abandoned
        case ("unshared", 1): self = .unshared
        case ("failed", 5):
            guard let code = TintypeError.Code(rawValue: lines[1]), Self.sharedCodes.contains(code),
                let stage = TintypeError.Stage(rawValue: lines[2])
            else { return nil }
            self = .failed(TintypeError(code, stage: stage, lines[4], status: Int(lines[3])))
        default: return nil
        }
    }

    private static let maximumLength = 64 << 10
}
