import ArgumentParser
import Tintype

/// Whether cached images are used.
struct FreshnessOptions: ParsableArguments {
    @Flag(exclusivity: .exclusive)
    var freshness: FreshnessFlag?

    /// Returns the request with the policy of these options.
    func applied(to request: ImageRequest) -> ImageRequest {
        request.freshness(freshness?.freshness ?? .cached)
    }
}

/// The flags that replace the default freshness policy, which uses any cached image.
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
        case .refresh: "Revalidate cached images with the origin; use them if the origin cannot be reached."
        case .reload: "Load from the origin, even if the cache has the image."
        case .cacheOnly: "Load from the cache only; fail if it does not have the image."
        case .httpCache: "Use cached images for as long as the origin's HTTP caching rules allow."
        }
    }
}

/// Whether an image that can be decoded only in part is accepted.
struct PartialOptions: ParsableArguments {
    @Flag(
        help: "Accept the part of a damaged or interrupted image that can be decoded, with a warning.")
    var partial = false

    @Flag(help: "Refuse images with any damage, even minor damage that common viewers tolerate.")
    var strict = false

    func validate() throws {
        guard !partial || !strict else {
            throw ValidationError("--partial and --strict exclude each other; give one of them")
        }
    }

    /// Returns the request with the policy of these options.
    func applied(to request: ImageRequest) -> ImageRequest {
        request.with {
            $0.rendition.decode.allowsPartial = partial
            $0.rendition.decode.damageTolerance = strict ? .none : .minor
        }
    }

    /// Returns a warning about a partial or damaged image, or `nil` for an intact one.
    static func warning(_ name: String, _ response: ImageResponse) -> String? {
        let start = "tintype: \(SourceArgument.displayName(of: name)): "
        guard response.image.isPartial else {
            let damage = response.image.info.warnings.map(\.description).joined(separator: "; ")
            return damage.isEmpty ? nil : "\(start)damaged image: \(damage)"
        }
        let reason = response.transferFailure?.message ?? "the image is damaged or truncated"
        return "\(start)partial image: \(reason)"
    }
}
