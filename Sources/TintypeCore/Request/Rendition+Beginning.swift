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

/// The crops that a list of transformers begins with, maybe with flips between them, where they need to know no more of a
/// picture than its size: a decoder can be asked for what they leave.
struct LeadingCrops: Hashable, Sendable {
    private enum Step: Hashable {
        case crop(CropTransformer.Part)
        case flip(FlipTransformer)
    }

    private let steps: [Step]

    /// `nil` where there is none.
    init?(_ transforms: [any ImageTransformer]) {
        var steps: [Step] = []
        for transformer in transforms {
            guard let step = Self.step(transformer) else { break }
            steps.append(step)
        }
        guard let last = steps.lastIndex(where: { if case .crop = $0 { true } else { false } }) else { return nil }
        self.steps = Array(steps[...last])
    }

    private static func step(_ transformer: any ImageTransformer) -> Step? {
        switch transformer {
        case let flip as FlipTransformer: .flip(flip)
        case let crop as CropTransformer: crop.dependsOnContent ? nil : .crop(crop.part)
        default: nil
        }
    }

    /// The transformers that these are.
    var count: Int { steps.count }

    /// What all flips together do, once the part is cut out; `nil` where that is nothing.
    var flip: FlipTransformer? {
        let flip = steps.reduce(FlipTransformer()) { sum, step in
            if case .flip(let next) = step { sum.then(next) } else { sum }
        }
        return flip.orientation == .up ? nil : flip
    }

    /// The part, where it is the same of every picture.
    var fixed: PixelRect? {
        guard count == 1, case .crop(.rect(let rect)) = steps[0] else { return nil }
        return rect
    }

    /// The part of a picture of `size`.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` when nothing is left.
    func rect(in size: PixelSize) throws(TintypeError) -> PixelRect {
        var (shown, flip) = (PixelRect(x: 0, y: 0, size: size), FlipTransformer())
        for step in steps {
            switch step {
            case .flip(let next): flip = flip.then(next)
            case .crop(let part):
                let rect = try CropTransformer(part).checkedRect(in: shown.size)
                let place = flip.orientation.stored(rect, in: shown.size)
                shown = PixelRect(x: shown.x + place.x, y: shown.y + place.y, size: place.size)
            }
        }
        return shown
    }

    var identifier: String {
        let names = steps.map { step in
            switch step {
            case .crop(let part): CropTransformer(part).identifier
            case .flip(let flip): flip.identifier
            }
        }
        return "first(\(names.joined(separator: ",")))"
    }
}
