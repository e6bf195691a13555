package import Foundation

/// Judges the cache entries of one source, for a load under ``LoadPolicy/Freshness/http``.
///
/// Whether an entry can be used depends on the header fields of the request, and a loader may have to call user code to
/// compute them. The loader does this once, when it creates the judge, which then judges any number of entries.
package protocol EntryJudge: Sendable {
    /// Whether the request fails if no entry may be used.
    var allowsOnlyCache: Bool { get }

    /// Returns whether an entry is for the request, and how it may be used.
    ///
    /// - Parameter key: The key of the original that the request names.
    func judge(_ entry: CacheEntry, for key: CacheKey, at now: Date) -> EntryJudgement
}

/// The result of judging a cache entry.
package enum EntryJudgement: Hashable, Sendable {
    /// The entry is for the request.
    case selected(StoredVerdict)
    /// The entry is a variant for other requests. The request selects the variant with this number.
    case otherVariant(UInt64)
}

/// The judge of a loader whose entries have no variants.
struct LoaderJudge: EntryJudge {
    let loader: any ImageLoader
    let source: ImageSource
    let extras: RequestExtras

    var allowsOnlyCache: Bool { false }

    func judge(_ entry: CacheEntry, for key: CacheKey, at now: Date) -> EntryJudgement {
        .selected(loader.verdict(on: entry, for: source, extras: extras, at: now))
    }
}

/// The name under which the caches store one of several variants of an original.
///
/// The variant that is stored first has the name of the original, where loads with other policies find it. All others
/// share a fixed number of names, so that an origin whose responses differ for every request cannot fill the cache. Two
/// variants with the same name replace each other: each entry records which requests it is for.
package struct VariantName: Hashable, Sendable {
    /// The number of names, in addition to that of the original.
    package static let count: UInt64 = 16

    private let number: UInt64

    /// Creates the name of a variant.
    ///
    /// - Parameter number: See ``EntryJudgement/otherVariant(_:)``.
    package init(_ number: UInt64) {
        self.number = number % Self.count
    }

    /// All names.
    static var all: [VariantName] { (0..<count).map { VariantName($0) } }

    /// Returns the identity of the variant; see ``SourceIdentity``.
    ///
    /// - Parameter source: The identity of the original.
    package func identity(of source: String) -> String { "\(source)\nvariant \(number)" }
}
