/// Several transformers applied in order, as one transformer.
///
/// Adjacent pixelwise transformers, also those of nested chains, run together strip by strip and cost one pass over
/// memory. In ``Rendition/transforms`` a chain is equivalent to its parts.
public struct TransformerChain: BuiltInTransformer {
    /// The transformers, in the order in which they are applied.
    package let transformers: [any ImageTransformer]

    /// Creates a chain of `transformers`.
    public init(_ transformers: [any ImageTransformer]) {
        self.transformers = transformers
    }

    /// The identifiers of the parts, each prefixed by its length so that different lists never read the same.
    package var name: String {
        "chain(\(transformers.map { "\($0.identifier.utf8.count):\($0.identifier)" }.joined(separator: ",")))"
    }

    /// Whether all of the transformers transform previews.
    package var appliesToPreviews: Bool { transformers.allSatisfy(\.transformsPreviews) }

    /// Applies all transformers in order.
    ///
    /// - Throws: The errors of the transformers; ``TintypeError/Code/cancelled``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        var pixels = pixels
        var pending: [PixelOperation] = []
        for transformer in transformers.flattened {
            try TransformContext.current.checkCancelled()
            if let pixelwise = transformer as? any PixelwiseTransformer {
                if let operation = try pixelwise.operation(for: pixels.size) { pending.append(operation) }
            } else {
                pixels = try transformer.transform(Self.applyPending(&pending, to: pixels))
            }
        }
        return try Self.applyPending(&pending, to: pixels)
    }

    /// Applies the collected pixelwise operations in one pass and empties the list.
    private static func applyPending(
        _ pending: inout [PixelOperation], to pixels: PixelBuffer
    ) throws(TintypeError) -> PixelBuffer {
        defer { pending = [] }
        return pending.isEmpty ? pixels : try pixels.applying(pending)
    }
}

extension [any ImageTransformer] {
    /// The transformers with every chain replaced by its parts.
    var flattened: [any ImageTransformer] {
        guard contains(where: { $0 is TransformerChain }) else { return self }
        return flatMap { ($0 as? TransformerChain)?.transformers.flattened ?? [$0] }
    }
}

/// A transformer whose effect depends on what the image shows, such as the border to trim.
///
/// All frames of an animation must have one size and must not jump, so an animation resolves such a transformer once,
/// for its first frame.
protocol ContentTransformer: ImageTransformer {
    /// Returns a content-independent transformer for images of this size that has the same effect as this one on
    /// `pixels`.
    func resolved(for pixels: PixelBuffer) throws(TintypeError) -> any ImageTransformer
}

extension TransformerChain: ContentTransformer {
    func resolved(for pixels: PixelBuffer) throws(TintypeError) -> any ImageTransformer {
        let transformers = transformers.flattened
        guard transformers.contains(where: { $0 is any ContentTransformer }) else { return self }
        var (pixels, resolved) = (pixels, [any ImageTransformer]())
        for transformer in transformers {
            resolved.append(try (transformer as? any ContentTransformer)?.resolved(for: pixels) ?? transformer)
            pixels = try transformer.transform(pixels)
        }
        return TransformerChain(resolved)
    }
}
