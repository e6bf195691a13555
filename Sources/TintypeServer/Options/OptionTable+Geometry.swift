extension OptionTable {
    /// Options that decide on the size of the result.
    static let size: [OptionEntry] = [
        OptionEntry("resize", "rs", count: 8) { options, arguments throws(ImageURLError) in
            if arguments.has(0) { try readResizingType(&options, &arguments) }
            try arguments.withRest(from: 1) { rest throws(ImageURLError) in try readSize(&options, &rest) }
        },
        OptionEntry("size", "s", count: 7, read: readSize),
        OptionEntry("resizing_type", "rt", read: readResizingType) {
            $0.resizingType == .fit ? nil : $0.resizingType.rawValue
        },
        .integer("width", "w", at: \.width),
        .integer("height", "h", at: \.height),
        .integer("min-width", "mw", at: \.minimumWidth),
        .integer("min-height", "mh", at: \.minimumHeight),
        OptionEntry("zoom", "z", count: 2) { options, arguments throws(ImageURLError) in
            options.zoom.x = try arguments.number(0, in: factors)
            options.zoom.y = arguments.count < 2 ? options.zoom.x : try arguments.number(1, in: factors)
        } write: {
            $0.zoom == Zoom() ? nil : text([$0.zoom.x, $0.zoom.y])
        },
        .number("dpr", at: \.pixelRatio, in: factors),
        .boolean("enlarge", "el", at: \.enlarges),
    ]

    /// The factors of a size. The least one keeps quotients of two of them far from overflow.
    private static let factors = 0.000_001...1_000_000

    private static func readResizingType(
        _ options: inout ProcessingOptions, _ arguments: inout OptionArguments
    ) throws(ImageURLError) {
        options.resizingType = try arguments.value(0, among: ResizingType.allCases)
    }

    private static func readSize(
        _ options: inout ProcessingOptions, _ arguments: inout OptionArguments
    ) throws(ImageURLError) {
        if arguments.has(0) { options.width = try arguments.integer(0) }
        if arguments.has(1) { options.height = try arguments.integer(1) }
        if arguments.has(2) { options.enlarges = arguments.boolean(2) }
        guard arguments.has(3) else { return }
        options.extend = try arguments.withRest(from: 3) { rest throws(ImageURLError) in
            try readCanvas(options.extend, &rest)
        }
    }
}

// MARK: - Position

extension OptionTable {
    /// Options that decide which part of an image is kept, and what is around it.
    static let position: [OptionEntry] = [
        canvas("extend", "ex", at: \.extend),
        canvas("extend_aspect_ratio", "extend_ar", "exar", at: \.extendAspectRatio),
        OptionEntry("gravity", "g", count: 3) { options, arguments throws(ImageURLError) in
            options.gravity = try readGravity(options.gravity, &arguments, among: Placement.ofCrop)
        } write: {
            $0.gravity == GravityOption() ? nil : text($0.gravity)
        },
        OptionEntry("crop", "c", count: 5) { options, arguments throws(ImageURLError) in
            options.crop.width = try arguments.number(0)
            if arguments.count > 1 { options.crop.height = try arguments.number(1) }
            guard arguments.count > 2 else { return }
            options.crop.gravity = try arguments.withRest(from: 2) { rest throws(ImageURLError) in
                try readGravity(options.crop.gravity ?? GravityOption(), &rest, among: Placement.ofCrop)
            }
        } write: { options in
            guard options.crop != CropOption() else { return nil }
            let size = text([options.crop.width, options.crop.height])
            return options.crop.gravity.map { size + ":" + text($0) } ?? size
        },
        OptionEntry("trim", "t", count: 4, read: readTrim) { options in
            options.trim.threshold.map { threshold in
                [
                    CanonicalNumber.text(threshold), options.trim.color?.hexadecimal ?? "",
                    options.trim.isEqualHorizontally ? "1" : "0", options.trim.isEqualVertically ? "1" : "0",
                ].joined(separator: ":")
            }
        },
        OptionEntry("padding", "pd", count: 4, read: readPadding) { options in
            let sides = [options.padding.top, options.padding.right, options.padding.bottom, options.padding.left]
            return sides == [0, 0, 0, 0] ? nil : text(sides.map(Double.init))
        },
    ]

    private static func canvas(
        _ name: String, _ others: String..., at path: OptionPath<CanvasOption>
    ) -> OptionEntry {
        OptionEntry(names: [name] + others, count: 4) { options, arguments throws(ImageURLError) in
            options[keyPath: path] = try readCanvas(options[keyPath: path], &arguments)
        } write: {
            let canvas = $0[keyPath: path]
            guard canvas.isEnabled else { return nil }
            return canvas.gravity == GravityOption() ? "1" : "1:" + text(canvas.gravity)
        }
    }

    private static func readCanvas(
        _ canvas: CanvasOption, _ arguments: inout OptionArguments
    ) throws(ImageURLError) -> CanvasOption {
        var canvas = canvas
        canvas.isEnabled = arguments.boolean(0)
        guard arguments.count > 1 else { return canvas }
        canvas.gravity = try arguments.withRest(from: 1) { rest throws(ImageURLError) in
            try readGravity(canvas.gravity, &rest, among: Placement.ofCanvas)
        }
        return canvas
    }

    /// Reads a placement and its offsets. Offsets that are not named keep their value, as in imgproxy.
    private static func readGravity(
        _ gravity: GravityOption, _ arguments: inout OptionArguments, among placements: [Placement]
    ) throws(ImageURLError) -> GravityOption {
        var gravity = gravity
        gravity.placement = try arguments.value(0, among: placements)
        let (isSmart, isPoint) = (gravity.placement == .smart, gravity.placement == .focusPoint)
        guard isSmart ? arguments.count == 1 : isPoint ? arguments.count == 3 : arguments.count <= 3 else {
            throw arguments.error(isSmart ? "no offsets after sm" : "x and y after the placement", at: 0)
        }
        if isSmart { return GravityOption(.smart) }
        let largest = Double(OptionArguments.largest)
        if arguments.has(1) { gravity.x = try arguments.number(1, in: isPoint ? 0...1 : -largest...largest) }
        if arguments.has(2) { gravity.y = try arguments.number(2, in: isPoint ? 0...1 : -largest...largest) }
        guard !isPoint || ((0...1).contains(gravity.x) && (0...1).contains(gravity.y)) else {
            throw arguments.error("two numbers from 0 to 1 after fp", at: 0)
        }
        return gravity
    }

    private static func readTrim(
        _ options: inout ProcessingOptions, _ arguments: inout OptionArguments
    ) throws(ImageURLError) {
        options.trim.threshold = arguments.has(0) ? try arguments.number(0) : nil
        options.trim.color = arguments.has(1) ? try arguments.color(1) : nil
        if arguments.has(2) { options.trim.isEqualHorizontally = arguments.boolean(2) }
        if arguments.has(3) { options.trim.isEqualVertically = arguments.boolean(3) }
    }

    /// Reads the four sides with the fallbacks of CSS (CSS Box Model 3, 4.2).
    private static func readPadding(
        _ options: inout ProcessingOptions, _ arguments: inout OptionArguments
    ) throws(ImageURLError) {
        if arguments.has(0) { options.padding.top = try arguments.integer(0) }
        options.padding.right = arguments.has(1) ? try arguments.integer(1) : options.padding.top
        options.padding.bottom = arguments.has(2) ? try arguments.integer(2) : options.padding.top
        options.padding.left = arguments.has(3) ? try arguments.integer(3) : options.padding.right
    }
}

// MARK: - Orientation

extension OptionTable {
    /// Options that turn the image.
    static let orientation: [OptionEntry] = [
        .boolean("auto_rotate", "ar", at: \.autoRotates),
        OptionEntry("rotate", "rot") { options, arguments throws(ImageURLError) in
            let angle = try arguments.integer(0, in: -OptionArguments.largest...OptionArguments.largest)
            guard angle.isMultiple(of: 90) else { throw arguments.error("a multiple of 90", at: 0) }
            options.rotation = (angle % 360 + 360) % 360
        } write: {
            $0.rotation == 0 ? nil : String($0.rotation)
        },
        OptionEntry("flip", "fl", count: 2) { options, arguments throws(ImageURLError) in
            if arguments.has(0) { options.flip.isHorizontal = arguments.boolean(0) }
            if arguments.has(1) { options.flip.isVertical = arguments.boolean(1) }
        } write: {
            $0.flip == FlipOption() ? nil : text([$0.flip.isHorizontal ? 1 : 0, $0.flip.isVertical ? 1 : 0])
        },
    ]

    /// Returns numbers as arguments.
    static func text(_ numbers: [Double]) -> String { numbers.map(CanonicalNumber.text).joined(separator: ":") }

    /// Returns a gravity as arguments, whole, because the offsets that are not named keep their value.
    private static func text(_ gravity: GravityOption) -> String {
        gravity.placement == .smart ? "sm" : gravity.placement.rawValue + ":" + text([gravity.x, gravity.y])
    }
}
