import Synchronization

/// A loader that restricts which requests its pipeline serves, from any cache and any loader.
///
/// A guard against server-side request forgery must also refuse local files, and images that a load without the guard
/// has stored in a cache.
package protocol GuardingLoader: ImageLoader {
    /// Whether the loader has a guard for requests without settings of their own.
    var guardFlag: GuardFlag { get }

    /// Checks a request before a cache or a loader of the pipeline is asked for it. Must not wait.
    ///
    /// - Throws: An error if the request is not allowed.
    func check(_ request: ImageRequest) throws(TintypeError)
}

/// Whether a loader has a guard now. May be used from any thread.
package final class GuardFlag: Sendable {
    private let flag: Atomic<Bool>

    /// Creates a flag.
    package init(_ isSet: Bool) {
        flag = Atomic(isSet)
    }

    /// The current value. Writes release and reads acquire: a thread that synchronizes with the writer sees the new
    /// value.
    package var isSet: Bool {
        get { flag.load(ordering: .acquiring) }
        set { flag.store(newValue, ordering: .releasing) }
    }
}

/// The guards of a pipeline's loaders, and of the loader in the overrides of a request.
struct LoaderGuards: Sendable {
    private let loaders: [any GuardingLoader]
    /// The flags of the loaders. Calling a loader through its protocol would double the cost of a memory hit.
    private let flags: [GuardFlag]

    init(_ loaders: [any GuardingLoader]) {
        self.loaders = loaders
        flags = loaders.map(\.guardFlag)
    }

    /// Returns the error of a guard that does not allow a request; `nil` if all allow it. Costs a few nanoseconds if
    /// there is no guard, and the request has no settings of its own.
    func refusal(of request: ImageRequest) -> TintypeError? {
        guard request.facts.isCustomized || flags.contains(where: \.isSet) else { return nil }
        let own = request.overrides?.loader.map { ImageLoaderChain([$0]).guards } ?? []
        do throws(TintypeError) {
            for loader in loaders { try loader.check(request) }
            for loader in own { try loader.check(request) }
            return nil
        } catch {
            return error
        }
    }
}
