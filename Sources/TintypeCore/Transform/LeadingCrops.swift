/// The crops at the start of a list of transformers, with any flips between them, if they depend only on the image's
/// size. A decoder can decode just the part that they leave.
struct LeadingCrops: Hashable, Sendable {
    private enum Step: Hashable {
        case crop(CropTransformer.Part)
        case flip(FlipTransformer)
    }

    private let steps: [Step]

    /// Creates the crops at the start of a list. Returns `nil` if the list does not begin with such a crop, which flips
    /// may precede.
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

    /// The number of transformers that these crops and flips replace.
    var count: Int { steps.count }

    /// The combined effect of all flips, to apply after the crop; `nil` if there is none.
    var flip: FlipTransformer? {
        let flip = steps.reduce(FlipTransformer()) { sum, step in
            if case .flip(let next) = step { sum.then(next) } else { sum }
        }
        return flip.orientation == .up ? nil : flip
    }

    /// The rectangle that the crops leave, in pixels, if it is the same for every image; otherwise `nil`.
    var fixedRect: PixelRect? {
        guard count == 1, case .crop(.rect(let rect)) = steps[0] else { return nil }
        return rect
    }

    /// Returns the rectangle, in pixels, that the crops leave of an image of `size`.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if it is empty.
    func rect(in size: PixelSize) throws(TintypeError) -> PixelRect {
        var (shown, flip) = (PixelRect(x: 0, y: 0, size: size), FlipTransformer())
        for step in steps {
            switch step {
            case .flip(let next): flip = flip.then(next)
            case .crop(let part):
                let rect = try CropTransformer(part).checkedRect(in: shown.size)
                let stored = flip.orientation.stored(rect, in: shown.size)
                shown = PixelRect(x: shown.x + stored.x, y: shown.y + stored.y, size: stored.size)
            }
        }
        return shown
    }

    /// A canonical form: the identifiers of the transformers, in order.
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
