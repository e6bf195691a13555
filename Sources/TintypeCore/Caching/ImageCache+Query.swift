public import Foundation

extension ImageCache {
    /// The picture of a key: from memory, without suspending; as pixels from disk; or decoded from its bytes there with
    /// ``coders``, and kept in memory then. `nil` is a miss, and so are bytes that do not decode, which are removed.
    ///
    /// - Parameters:
    ///   - tiers: that may answer.
    ///   - data: whether the bytes are wanted even when memory has the picture.
    ///   - decode: what to make of the bytes. What was stored under a key is best asked for in one way.
    /// - Throws: ``TintypeError/Code/cancelled`` when the task was cancelled before its turn.
    public func query(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions()
    ) async throws(TintypeError) -> CacheHit? {
        try await query(key, among: tiers, data: data, decode: decode, with: coders)
    }

    /// The same on the calling thread. **Blocks** while the disk is read and the picture is decoded: for the one that has
    /// to be there when a window opens.
    public func blockingQuery(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions()
    ) -> CacheHit? {
        blockingQuery(key, among: tiers, data: data, decode: decode, with: coders)
    }

    /// Keeps a picture in some tiers. On disk it is its bytes; where there are none, an animation's own, or what
    /// ``coders`` encode the picture as: in the format that it came in, or else as JPEG if every pixel is opaque and as PNG
    /// if not. The disk has it after ``flush()``.
    ///
    /// - Parameter tiers: not ``CacheTiers/pixels`` unless that is said.
    /// - Throws: ``TintypeError/Code/noCoder``, ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``;
    ///   ``TintypeError/Code/cancelled``. Tiers before the disk have it then.
    public func store(
        _ image: Image, data: Data?, for key: CacheKey, in tiers: CacheTiers = [.memory, .disk]
    ) async throws(TintypeError) {
        try await store(image, data: data, for: key, in: tiers, with: coders)
    }
}
