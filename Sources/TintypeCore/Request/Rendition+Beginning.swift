// Splits a rendition into an earlier rendition and its last transforms, and moves crops and sizes of the earlier one to
// the decoder.

extension Rendition {
    /// The number of transforms at the end that run in one pass over memory: all trailing ``PixelwiseTransformer``s, or
    /// one other transform.
    var transformsInOnePass: Int {
        max(1, transforms.reversed().prefix { $0 is any PixelwiseTransformer }.count)
    }

    /// Returns the last `count` transforms as one transformer.
    func ending(_ count: Int) -> any ImageTransformer {
        let last = transforms.suffix(count)
        return last.count == 1 ? last[last.startIndex] : TransformerChain(Array(last))
    }

    /// Returns the rendition without its last `count` transforms.
    ///
    /// If the last transform is the first one that resizes, and only crops and flips precede it, the decode options get
    /// the crop and the size. Then fewer pixels are decoded, stored and transformed, and the resize has little or no
    /// work left.
    ///
    /// - Parameter takesSize: Whether the decode options may get the crop and the size.
    func beginning(without count: Int = 1, takesSize: Bool) -> Rendition {
        let beginning = replacing(transforms.dropLast(count))
        guard takesSize, decode.size == .full, let size = (transforms.last as? ResizeTransformer)?.decodedSize else {
            return beginning
        }
        var decoded = beginning.decodingCrops ?? beginning
        guard decoded.hasOnlyFlips else { return beginning }
        decoded.decode.size = size
        decoded.decode.sizeScope = transformScope
        return decoded
    }

    /// The rendition with all crops moved to the decoder; `nil` if there are transforms other than crops and flips, or
    /// crops that depend on the content.
    var decodingCropsAlone: Rendition? {
        decodingCrops.flatMap { $0.hasOnlyFlips ? $0 : nil }
    }

    /// The rendition with its first crops moved to the decoder; `nil` if it does not begin with crops that depend only
    /// on the image's size.
    private var decodingCrops: Rendition? {
        guard decode.size == .full, decode.crop == nil, decode.crops == nil, let crops = LeadingCrops(transforms) else {
            return nil
        }
        var decoded = replacing((crops.flip.map { [$0] } ?? []) + transforms.dropFirst(crops.count))
        decoded.decode.crop = crops.fixedRect
        decoded.decode.crops = crops.fixedRect == nil ? crops : nil
        decoded.decode.sizeScope = transformScope
        return decoded
    }

    private var hasOnlyFlips: Bool { transforms.allSatisfy { $0 is FlipTransformer } }

    private func replacing(_ transforms: [any ImageTransformer]) -> Rendition {
        Rendition(decode: decode, transforms: transforms, transformScope: transformScope)
    }
}

extension ResizeTransformer {
    /// The decode size that has the effect of this transformer; `nil` if there is none.
    ///
    /// Decoders filter like ``ResampleFilter/lanczos3``; JPEG does so after scaling in the frequency domain to the next
    /// larger eighth. They enlarge only vector images.
    fileprivate var decodedSize: DecodeOptions.Size? {
        guard filter == .lanczos3, size.isPositive else { return nil }
        return switch mode {
        case .fit: .fit(size)
        case .stretch: .shrink(size)
        case .fill: .cover(size)
        }
    }
}
