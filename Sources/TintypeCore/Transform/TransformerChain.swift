/// Several transformers as one, in order.
///
/// Neighbours that look at one pixel at a time run together, strip by strip, so that they cost one pass over memory, also
/// those of chains within chains. In ``Rendition/transforms`` a chain is the same as its parts.
public struct TransformerChain: ImageTransformer {
    public let transformers: [any ImageTransformer]

    public init(_ transformers: [any ImageTransformer]) {
        self.transformers = transformers
    }

    /// The identifiers, each after its length, so that no two lists read the same.
    public var identifier: String {
        "chain(\(transformers.map { "\($0.identifier.utf8.count):\($0.identifier)" }.joined(separator: ",")))"
    }

    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
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

    private static func applyPending(
        _ pending: inout [PixelOperation], to pixels: PixelBuffer
    ) throws(TintypeError) -> PixelBuffer {
        defer { pending = [] }
        return pending.isEmpty ? pixels : try pixels.applying(pending)
    }
}

extension [any ImageTransformer] {
    /// The same with the parts of chains in their places.
    var flattened: [any ImageTransformer] {
        guard contains(where: { $0 is TransformerChain }) else { return self }
        return flatMap { ($0 as? TransformerChain)?.transformers.flattened ?? [$0] }
    }
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
