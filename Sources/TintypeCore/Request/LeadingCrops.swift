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
