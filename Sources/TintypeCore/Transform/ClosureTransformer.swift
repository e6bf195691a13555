/// A transformer of the program's own, as a closure.
public struct ClosureTransformer: ImageTransformer {
    private let name: String
    private let body: @Sendable (PixelBuffer) throws -> PixelBuffer

    /// - Parameters:
    ///   - identifier: names what `body` does, with every parameter that changes pixels: it enters the key, marked as
    ///     the program's own, so that it may be equal to that of a built-in transformer.
    ///   - body: called off the caller's thread; an error of its own becomes the cause of
    ///     ``TintypeError/Code/transformFailed``.
    public init(identifier: String, _ body: @escaping @Sendable (PixelBuffer) throws -> PixelBuffer) {
        name = identifier
        self.body = body
    }

    /// After its length, so that it ends where it ends.
    public var identifier: String { "closure(\(name.utf8.count):\(name))" }

    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        do {
            return try body(pixels)
        } catch let error as TintypeError {
            throw error
        } catch {
            throw TintypeError(
                .transformFailed, stage: .transform, "\(name) failed: \(error)", underlying: error)
        }
    }
}
