extension Rendition {
    /// What the last transform is applied to: the rendition without it.
    ///
    /// Where the last transform is the first that looks at sizes, after a crop and flips at most, the decoder is asked
    /// for that part and size, so that fewer pixels are decoded, kept and turned. The resize then finds most of its work
    /// done, or all of it.
    ///
    /// - Parameter takesSize: whether the decoder is to be asked.
    func beginning(takesSize: Bool) -> Rendition {
        let beginning = Rendition(decode: decode, transforms: transforms.dropLast(), transformScope: transformScope)
        guard takesSize, decode.size == .full, let resize = transforms.last as? ResizeTransformer,
            let size = resize.decodedSize
        else { return beginning }
        var asked = beginning.takingCrop() ?? beginning
        guard asked.transforms.allSatisfy({ $0 is FlipTransformer }) else { return beginning }
        asked.decode.size = size
        asked.decode.sizeScope = transformScope
        return asked
    }

    /// The same with its first transform done by the decoder; `nil` unless that cuts out a rectangle of the whole.
    func takingCrop() -> Rendition? {
        guard decode.size == .full, decode.crop == nil, let crop = transforms.first as? CropTransformer,
            case .rect(let rect) = crop.part
        else { return nil }
        var asked = Rendition(decode: decode, transforms: Array(transforms.dropFirst()), transformScope: transformScope)
        asked.decode.crop = rect
        asked.decode.sizeScope = transformScope
        return asked
    }
}

extension ResizeTransformer {
    /// What a decoder, which filters like ``ResampleFilter/lanczos3`` and enlarges nothing but vectors, does of it.
    fileprivate var decodedSize: DecodeOptions.Size? {
        guard filter == .lanczos3, size.isPositive else { return nil }
        return switch mode {
        case .fit: .fit(size)
        case .stretch: .stretch(size)
        case .fill: .cover(size)
        }
    }
}
