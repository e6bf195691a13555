import Tintype

// One function for each option. Each parses the option's value and returns `nil` if it is malformed.

extension TransformArgument {
    // MARK: - Steps

    static func resize(_ text: String) -> TransformArgument? {
        transform(PixelSize(argument: text).map { ResizeTransformer(to: $0) })
    }

    /// `X,Y,W,H`, or `WxH` for a part that `--gravity` selects.
    static func crop(_ text: String) -> TransformArgument? {
        if let size = PixelSize(argument: text) { return transform(CropTransformer(to: size)) }
        guard let numbers = integers(text), numbers.count == 4 else { return nil }
        let size = PixelSize(width: numbers[2], height: numbers[3])
        return transform(CropTransformer(to: PixelRect(x: numbers[0], y: numbers[1], size: size)))
    }

    /// `DEGREES`, or `DEGREES,keep` to keep the size of the image.
    static func rotate(_ text: String) -> TransformArgument? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard let degrees = parts.first.flatMap({ Double($0) }), parts.count == 1 || parts.dropFirst() == ["keep"]
        else { return nil }
        return transform(RotateTransformer(degrees: degrees, isFitting: parts.count == 1))
    }

    static func flip(_ text: String) -> TransformArgument? {
        switch text {
        case "horizontal": transform(FlipTransformer(horizontal: true))
        case "vertical": transform(FlipTransformer(vertical: true))
        default: nil
        }
    }

    static func round(_ text: String) -> TransformArgument? {
        text == "circle"
            ? transform(CircleTransformer()) : transform(Double(text).map { RoundCornersTransformer(radius: $0) })
    }

    static func tint(_ text: String) -> TransformArgument? {
        transform(Color(hex: text).map { TintTransformer($0) })
    }

    static func blur(_ text: String) -> TransformArgument? {
        transform(Double(text).map { BlurTransformer(radius: $0) })
    }

    /// `RADIUS`, `RADIUS,AMOUNT` or `RADIUS,AMOUNT,THRESHOLD`.
    static func sharpen(_ text: String) -> TransformArgument? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.prefix(2).compactMap { Double($0) }
        let threshold = parts.count == 3 ? Int(parts[2]) : 0
        guard (1...3).contains(parts.count), numbers.count == min(parts.count, 2), let threshold else { return nil }
        return transform(
            SharpenTransformer(
                radius: numbers[0], amount: numbers.count > 1 ? numbers[1] : 1, threshold: threshold))
    }

    static func pixelate(_ text: String) -> TransformArgument? {
        transform(Int(text).map { PixelateTransformer(side: $0) })
    }

    /// `brightness=0.1,contrast=1.2,saturation=0.5,grey,sepia,invert`, applied in the order given; or the 20 numbers of
    /// a matrix.
    static func adjust(_ text: String) -> TransformArgument? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let weights = parts.compactMap { Float($0) }
        if weights.count == parts.count { return transform(ColorMatrix(weights).map { ColorTransformer($0) }) }
        let matrices = parts.compactMap(matrix)
        guard matrices.count == parts.count, let first = matrices.first else { return nil }
        return transform(ColorTransformer(matrices.dropFirst().reduce(first) { $0.then($1) }))
    }

    static func overlay(_ text: String) -> TransformArgument? {
        .step(.overlay(OverlayStep(source: SourceArgument(argument: text))))
    }

    static func flatten(_ text: String) -> TransformArgument? {
        transform(Color(hex: text).map { FlattenTransformer(on: $0) })
    }

    /// `ALL` or `TOP,LEFT,BOTTOM,RIGHT`, optionally followed by a colour.
    static func pad(_ text: String) -> TransformArgument? {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let color = parts.last.flatMap { Color(hex: $0) }
        if color != nil { parts.removeLast() }
        let widths = parts.compactMap { Int($0) }
        guard widths.count == parts.count, widths.count == 1 || widths.count == 4 else { return nil }
        let margins = PadTransformer.Margins(
            top: widths[0], left: widths.count > 1 ? widths[1] : widths[0],
            bottom: widths.count > 1 ? widths[2] : widths[0], right: widths.count > 1 ? widths[3] : widths[0])
        return transform(PadTransformer(margins, color: color ?? .clear))
    }

    static func trim(_ text: String) -> TransformArgument? {
        guard let tolerance = Int(text), (0...255).contains(tolerance) else { return nil }
        return transform(TrimTransformer(tolerance: tolerance))
    }

    // MARK: - Modifiers

    static func mode(_ text: String) -> TransformArgument? {
        ResizeTransformer.Mode(rawValue: text).map { mode in
            .modifier(modifying(ResizeTransformer.self) { $0.mode = mode })
        }
    }

    static func filter(_ text: String) -> TransformArgument? {
        ResampleFilter(rawValue: text).map { filter in
            .modifier(modifying(ResizeTransformer.self) { $0.filter = filter })
        }
    }

    static func gravity(_ text: String) -> TransformArgument? {
        guard let gravity = Gravity(rawValue: text) else { return nil }
        return .firstMatch(
            of: modifying(ResizeTransformer.self) { $0.gravity = gravity },
            { step in
                // A crop to a rectangle has a fixed position.
                guard case .transformer(let crop as CropTransformer) = step, case .size(let size, _) = crop.part else {
                    return nil
                }
                return .transformer(CropTransformer(to: size, gravity: gravity))
            },
            modifyingOverlay { $0.gravity = gravity })
    }

    static func corners(_ text: String) -> TransformArgument? {
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        let corners = names.compactMap { cornerNames[String($0)] }
        guard corners.count == names.count else { return nil }
        let all = Set(corners.joined())
        return .modifier(modifying(RoundCornersTransformer.self) { $0.corners = all })
    }

    /// `WIDTH,COLOUR`.
    static func border(_ text: String) -> TransformArgument? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let width = Double(parts[0]), let color = Color(hex: parts[1]) else { return nil }
        return .firstMatch(
            of: modifying(RoundCornersTransformer.self) { ($0.borderWidth, $0.borderColor) = (width, color) },
            modifying(CircleTransformer.self) { ($0.borderWidth, $0.borderColor) = (width, color) })
    }

    static func blend(_ text: String) -> TransformArgument? {
        guard let mode = BlendMode.allCases.first(where: { $0.name == text }) else { return nil }
        return .firstMatch(
            of: modifying(TintTransformer.self) { $0.mode = mode }, modifyingOverlay { $0.mode = mode })
    }

    static func opacity(_ text: String) -> TransformArgument? {
        guard let opacity = Double(text), (0...1).contains(opacity) else { return nil }
        return .modifier(modifyingOverlay { $0.opacity = opacity })
    }

    /// `X,Y`.
    static func inset(_ text: String) -> TransformArgument? {
        guard let numbers = integers(text), numbers.count == 2 else { return nil }
        return .modifier(modifyingOverlay { $0.inset = PixelSize(width: numbers[0], height: numbers[1]) })
    }

    // MARK: - Parts of values

    private static let cornerNames: [String: Set<RoundCornersTransformer.Corner>] = [
        "tl": [.topLeft], "tr": [.topRight], "bl": [.bottomLeft], "br": [.bottomRight],
        "all": Set(RoundCornersTransformer.Corner.allCases),
    ]

    private static func integers(_ text: String) -> [Int]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }
        return numbers.count == parts.count ? numbers : nil
    }

    private static func matrix(_ text: Substring) -> ColorMatrix? {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        let amount = parts.count == 2 ? Float(parts[1]) : nil
        return switch (parts.first, amount) {
        case ("brightness", let amount?): .brightness(amount)
        case ("contrast", let amount?): .contrast(amount)
        case ("saturation", let amount?): .saturation(amount)
        case ("grey", nil) where parts.count == 1: .grey
        case ("sepia", nil) where parts.count == 1: .sepia
        case ("invert", nil) where parts.count == 1: .inverted
        default: nil
        }
    }
}
