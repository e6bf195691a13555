import ArgumentParser
import Tintype

/// How pictures may be got.
struct PolicyOptions: ParsableArguments {
    @Flag(exclusivity: .exclusive)
    var freshness: FreshnessFlag?

    @Flag(help: "Ask again for what failed before in this run.")
    var retryFailed = false

    @Option(help: "How soon, compared with what else the program loads.")
    var priority = PriorityArgument(.normal)

    /// The request as these options want it.
    func applied(to request: ImageRequest) -> ImageRequest {
        request.freshness(freshness?.freshness ?? .cached)
            .failures(retryFailed ? .ignored : .respected)
            .priority(priority.value)
    }
}

/// What is asked of the caches and of the origin, where it is not the usual.
enum FreshnessFlag: String, EnumerableFlag {
    case refresh
    case reload
    case cacheOnly
    case httpCache

    var freshness: LoadPolicy.Freshness {
        switch self {
        case .refresh: .revalidate
        case .reload: .reload
        case .cacheOnly: .cacheOnly
        case .httpCache: .http
        }
    }

    static func help(for value: FreshnessFlag) -> ArgumentHelp? {
        switch value {
        case .refresh:
            "Ask the origin whether what the cache has is still good; keep it when the origin cannot be asked."
        case .reload: "Load anew, whatever the cache has."
        case .cacheOnly: "Load nothing; what the cache does not have fails."
        case .httpCache: "Let the origin say how long the cache's copy is good, as HTTP has it."
        }
    }
}

/// A priority by its name.
struct PriorityArgument: ExpressibleByArgument {
    let value: ImagePriority

    init(_ value: ImagePriority) {
        self.value = value
    }

    init?(argument: String) {
        guard let value = ImagePriority.allCases.first(where: { Self.name($0) == argument.lowercased() })
        else { return nil }
        self.value = value
    }

    static let allValueStrings = ImagePriority.allCases.map(name)

    var defaultValueDescription: String { Self.name(value) }

    private static func name(_ priority: ImagePriority) -> String {
        switch priority {
        case .veryLow: "very-low"
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        case .veryHigh: "very-high"
        }
    }
}

/// Whether a part of a picture will do.
struct PartialOptions: ParsableArguments {
    @Flag(
        help: """
            Be content with what there is of a picture that is damaged, or whose transfer breaks off; a warning says so.
            """)
    var partial = false

    /// The request as these options want it.
    func applied(to request: ImageRequest) -> ImageRequest {
        request.with { $0.rendition.decode.allowsPartial = partial }
    }

    /// A line for a person about a picture that is not whole; `nil` for one that is.
    static func warning(_ name: String, _ response: ImageResponse) -> String? {
        guard response.image.isPartial else { return nil }
        let reason = response.transferFailure?.message ?? "the picture is damaged or cut short"
        return "tintype: \(name): only a part of it: \(reason)"
    }
}
