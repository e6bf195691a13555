/// Everything that can go wrong, as one type of one word.
///
/// Switch over ``code``; show ``description``, which is one line and names what failed, where and why. That a cache has
/// nothing is not an error but `nil`.
public struct TintypeError: Error, Sendable {
    private let storage: Storage

    /// - Parameters:
    ///   - message: what happened, in a few words without a full stop.
    ///   - subject: the URL, path or name it happened to.
    ///   - status: the HTTP status that the server answered with.
    public init(
        _ code: Code, stage: Stage, _ message: String, subject: String? = nil, status: Int? = nil,
        underlying: (any Error)? = nil
    ) {
        storage = Storage(
            code: code, stage: stage, message: message, subject: subject, status: status, underlying: underlying)
    }

    private init(shared storage: Storage) {
        self.storage = storage
    }

    /// What happened, to switch over.
    public var code: Code { storage.code }
    /// Where on the way of a request it happened.
    public var stage: Stage { storage.stage }
    /// What happened, in words, for whoever looks for the cause.
    public var message: String { storage.message }
    /// The URL, path or name that the failing work was about.
    public var subject: String? { storage.subject }
    /// The HTTP status that the server answered with, where that is what went wrong.
    public var status: Int? { storage.status }
    /// The error of a system or library below that caused this one.
    public var underlying: (any Error)? { storage.underlying }

    /// The wait was given up by the one who waited. Shared, since no error is more common.
    public static let cancelled = TintypeError(
        shared: Storage(
            code: .cancelled, stage: .deliver, message: "cancelled", subject: nil, status: nil, underlying: nil))

    /// The same error, about `subject` if it did not say yet what it was about.
    public func about(_ subject: String) -> TintypeError {
        guard self.subject == nil, code != .cancelled else { return self }
        return TintypeError(
            code, stage: stage, message, subject: subject, status: status, underlying: underlying)
    }

    private final class Storage: Sendable {
        let code: Code
        let stage: Stage
        let message: String
        let subject: String?
        let status: Int?
        let underlying: (any Error)?

        init(
            code: Code, stage: Stage, message: String, subject: String?, status: Int?, underlying: (any Error)?
        ) {
            self.code = code
            self.stage = stage
            self.message = message
            self.subject = subject
            self.status = status
            self.underlying = underlying
        }
    }
}

extension TintypeError: CustomStringConvertible {
    /// One line: subject, message, code and stage.
    public var description: String {
        let about = subject.map { "\($0.abbreviated): " } ?? ""
        return "\(about)\(message) [\(code.rawValue), \(stage.rawValue)]".withoutLineBreaks
    }
}

extension TintypeError {
    /// Where in the way of a request it happened.
    public enum Stage: String, Sendable, CaseIterable {
        case request, memory, disk, load, decode, transform, encode, store, deliver
    }
}

extension String {
    /// A data URL can be megabytes long; its beginning tells which one it is.
    fileprivate var abbreviated: String {
        utf8.count <= 400 ? self : "\(prefix(200))…"
    }

    /// Messages quote what comes from outside, and one error is one line.
    fileprivate var withoutLineBreaks: String {
        guard contains(where: { $0.isNewline || $0.isControl }) else { return self }
        return String(map { $0.isNewline || $0.isControl ? " " : $0 })
    }
}

extension Character {
    fileprivate var isControl: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
