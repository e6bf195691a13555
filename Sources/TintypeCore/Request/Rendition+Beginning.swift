extension Rendition {
    /// How many of the last transforms cost one pass over memory: all that look at one pixel at a time, or one.
    var transformsInOnePass: Int {
        max(1, transforms.reversed().prefix { $0 is any PixelwiseTransformer }.count)
    }

    /// The last transforms as one.
    func ending(_ count: Int) -> any ImageTransformer {
        let last = transforms.suffix(count)
        return last.count == 1 ? last[last.startIndex] : TransformerChain(Array(last))
    }

    /// What the last transforms are applied to: the rendition without them.
    ///
    /// Where the last transform is the first that changes the size, after crops and flips at most, the decoder is asked
    /// for that part and size, so that fewer pixels are decoded, kept and turned. The resize then finds most of its work
    /// done, or all of it.
    ///
    /// - Parameter takesSize: whether the decoder is to be asked.
    func beginning(without count: Int = 1, takesSize: Bool) -> Rendition {
        let beginning = replacing(transforms.dropLast(count))
        guard takesSize, decode.size == .full, let size = (transforms.last as? ResizeTransformer)?.decodedSize else {
            return beginning
        }
        var asked = beginning.decodingCrops ?? beginning
        guard asked.isFlippedAtMost else { return beginning }
        asked.decode.size = size
        asked.decode.sizeScope = transformScope
        return asked
    }

    /// The same with all its transforms but flips done by the decoder; `nil` unless these are crops that it can do.
    var decodingCropsAlone: Rendition? {
        decodingCrops.flatMap { $0.isFlippedAtMost ? $0 : nil }
    }

    /// The same with its first crops done by the decoder; `nil` where it begins with none that it can do.
    private var decodingCrops: Rendition? {
        guard decode.size == .full, decode.crop == nil, decode.crops == nil, let crops = LeadingCrops(transforms) else {
            return nil
        }
        var asked = replacing((crops.flip.map { [$0] } ?? []) + transforms.dropFirst(crops.count))
        asked.decode.crop = crops.fixed
        asked.decode.crops = crops.fixed == nil ? crops : nil
        asked.decode.sizeScope = transformScope
        return asked
    }

    private var isFlippedAtMost: Bool { transforms.allSatisfy { $0 is FlipTransformer } }

    private func replacing(_ transforms: [any ImageTransformer]) -> Rendition {
        Rendition(decode: decode, transforms: transforms, transformScope: transformScope)
    }
}

extension ResizeTransformer {
    /// What a decoder does of it: it filters like ``ResampleFilter/lanczos3``, JPEG's after scaling in the frequency domain
    /// to the next eighth above, and enlarges nothing but vectors.
    fileprivate var decodedSize: DecodeOptions.Size? {
        guard filter == .lanczos3, size.isPositive else { return nil }
        return switch mode {
        case .fit: .fit(size)
        case .stretch: .shrink(size)
        case .fill: .cover(size)
        }
    }
}
