extension TintypeError {
    /// What `body` throws, for who has more to do before it is told.
    static func thrown(by body: () async throws(TintypeError) -> Void) async -> TintypeError? {
        do throws(TintypeError) { try await body() } catch { return error }
        return nil
    }
}
