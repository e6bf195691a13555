/// A cache in whose folder a body can arrive that it will store, so that it is written once.
package protocol SpillFileMaker: DataCaching {
    /// Creates a file for a body. Blocks.
    ///
    /// - Parameter byteCount: The expected size of the body, or a smaller number.
    /// - Returns: `nil` if the cache does not store so many bytes, the file system has no files without a name, or
    ///   nothing can be written at present.
    func makeSpillFile(for byteCount: Int) -> SpillFile?
}

extension ImageCaching {
    /// The tier in whose folder bodies can arrive. Whoever holds it does not hold the memory of this cache.
    var spillFileMaker: (any SpillFileMaker)? { (self as? ImageCache)?.disk as? any SpillFileMaker }
}
