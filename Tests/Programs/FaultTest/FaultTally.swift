import Tintype

/// The results of a run, by fault.
struct FaultTally: Sendable {
    private var counts: [Fault: [String: Int]] = [:]
    /// Results that are wrong, in the order in which they were found.
    private(set) var problems: [String] = []

    /// Judges the result of one load.
    ///
    /// - Parameter mayBeCancelled: Whether the load was cancelled before it had ended.
    mutating func add(_ result: Result<Image, TintypeError>, of loaded: FaultCase, mayBeCancelled: Bool) {
        counts[loaded.fault, default: [:]][Self.name(of: result), default: 0] += 1
        if let problem = Self.problem(result, of: loaded, mayBeCancelled) {
            problems.append("\(loaded.fault) \(loaded.path): \(problem)")
        }
    }

    /// Records something that was left behind.
    mutating func add(problem: String) { problems.append(problem) }

    /// A line for each fault.
    var table: String {
        Fault.allCases.map { fault in
            let results = (counts[fault] ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return "\(fault): \(results.joined(separator: ", "))"
        }.joined(separator: "\n")
    }

    private static func name(of result: Result<Image, TintypeError>) -> String {
        switch result {
        case .success: "image"
        case .failure(let error): "\(error.code)"
        }
    }

    private static func problem(
        _ result: Result<Image, TintypeError>, of loaded: FaultCase, _ mayBeCancelled: Bool
    ) -> String? {
        switch (result, loaded.expectation) {
        case (.success(let image), .image), (.success(let image), .either):
            FaultImage(number: loaded.number).matches(image.pixels) ? nil : "another image"
        case (.success, .error): "an image instead of an error"
        case (.failure(let error), _) where error.code == .cancelled:
            mayBeCancelled ? nil : "cancelled, although nobody cancelled it"
        case (.failure(let error), .image): "\(error)"
        case (.failure(let error), .error(let codes)), (.failure(let error), .either(let codes)):
            codes.contains(error.code) ? nil : "\(error.code): \(error)"
        }
    }
}
