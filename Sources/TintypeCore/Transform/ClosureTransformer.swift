/// A transformer of the program's own, as a closure.
public struct ClosureTransformer: ImageTransformer {
    public let identifier: String
    private let body: @Sendable (PixelBuffer) throws -> PixelBuffer

    /// - Parameters:
    ///   - identifier: names what `body` does, with every parameter that changes pixels: it enters the key.
    ///   - body: called off the caller's thread; an error of its own becomes the cause of
    ///     ``TintypeError/Code/transformFailed``.
    public init(identifier: String, _ body: @escaping @Sendable (PixelBuffer) throws -> PixelBuffer) {
        self.identifier = identifier
        self.body = body
    }

    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        do {
            return try body(pixels)
        } catch let error as TintypeError {
            throw error
        } catch {
            throw TintypeError(
                .transformFailed, stage: .transform, "\(identifier) failed: \(error)", underlying: error)
        }
    }
}
