/// Loads the bytes that a request's own closure makes.
public struct ClosureLoader: ImageLoader {
    public init() {}

    public func canLoad(_ source: ImageSource) -> Bool {
        if case .closure = source { true } else { false }
    }

    @concurrent
    public func load(_ source: ImageSource, _ context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        guard case .closure(let id, let make) = source else {
            throw TintypeError(.invalidSource, stage: .load, "not a closure", subject: source.displayName)
        }
        do {
            return LoadedBytes(data: try await make(), origin: .custom)
        } catch let error as TintypeError {
            throw error.about(id)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw TintypeError(.transport, stage: .load, "\(error)", subject: id, underlying: error)
        }
    }
}
