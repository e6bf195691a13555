/// When libjxl is asked for what it has of a picture: that costs a pass over all of it.
struct JXLFlushPlan {
    private var received = 0
    private var flushedAt = 0

    /// Takes how many more bytes have come.
    ///
    /// - Parameter isNewStage: whether libjxl itself says that there is more to see.
    /// - Returns: whether to ask now: then, and whenever there is a quarter more than the last time.
    mutating func shouldFlush(adding count: Int, isNewStage: Bool) -> Bool {
        received += count
        guard isNewStage || received - flushedAt > flushedAt / 4 else { return false }
        flushedAt = received
        return true
    }
}
