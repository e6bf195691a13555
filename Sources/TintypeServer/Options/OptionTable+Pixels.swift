extension OptionTable {
    /// Options that change the pixels.
    static let pixels: [OptionEntry] = [
        OptionEntry("background", "bg", count: 3, read: readBackground) { $0.background?.hexadecimal },
        OptionEntry("adjust", "a", count: 3) { options, arguments throws(ImageURLError) in
            if arguments.has(0) { options.color.brightness = try arguments.integer(0, in: -255...255) }
            if arguments.has(1) { options.color.contrast = try arguments.number(1) }
            if arguments.has(2) { options.color.saturation = try arguments.number(2) }
        },
        .integer("brightness", "br", at: \.color.brightness, in: -255...255),
        .number("contrast", "co", at: \.color.contrast),
        .number("saturation", "sa", at: \.color.saturation),
        OptionEntry("monochrome", "mc", count: 2) { options, arguments throws(ImageURLError) in
            options.color.monochrome.intensity = try arguments.number(0, in: 0...1)
            if arguments.has(1) { options.color.monochrome.color = try arguments.color(1) }
        } write: {
            let effect = $0.color.monochrome
            return effect.intensity == 0 ? nil : text([effect.intensity]) + ":" + effect.color.hexadecimal
        },
        OptionEntry("duotone", "dt", count: 3) { options, arguments throws(ImageURLError) in
            options.color.duotone.intensity = try arguments.number(0, in: 0...1)
            if arguments.has(1) { options.color.duotone.dark = try arguments.color(1) }
            if arguments.has(2) { options.color.duotone.light = try arguments.color(2) }
        } write: {
            let effect = $0.color.duotone
            guard effect.intensity != 0 else { return nil }
            return [text([effect.intensity]), effect.dark.hexadecimal, effect.light.hexadecimal].joined(separator: ":")
        },
        .number("blur", "bl", at: \.filters.blur),
        .number("sharpen", "sh", at: \.filters.sharpen),
        .integer("pixelate", "pix", at: \.filters.pixelate),
    ]

    private static func readBackground(
        _ options: inout ProcessingOptions, _ arguments: inout OptionArguments
    ) throws(ImageURLError) {
        switch arguments.count {
        case 1:
            options.background = arguments.has(0) ? try arguments.color(0) : nil
        case 3:
            var components: [UInt8] = []
            for index in 0..<3 { components.append(UInt8(try arguments.integer(index, in: 0...255))) }
            options.background = RGBColor(red: components[0], green: components[1], blue: components[2])
        default:
            throw arguments.error("a colour in hexadecimal digits, or red, green and blue", at: 0)
        }
    }
}

// MARK: - Watermark

extension OptionTable {
    /// Options of the watermark.
    static let watermark: [OptionEntry] = [
        // imgproxy ignores two more arguments, so that URLs with them work.
        OptionEntry("watermark", "wm", count: 7, read: readWatermark) {
            let mark = $0.watermark
            guard mark.opacity > 0 else { return nil }
            return [text([mark.opacity]), mark.placement.rawValue, text([mark.x, mark.y, mark.scale])]
                .joined(separator: ":")
        },
        OptionEntry("watermark_url", "wmu") { options, arguments throws(ImageURLError) in
            options.watermark.url = try arguments.base64(0)
        } write: {
            $0.watermark.url.isEmpty ? nil : Base64URL.encode(Array($0.watermark.url.utf8))
        },
        OptionEntry("watermark_size", "wms", count: 2) { options, arguments throws(ImageURLError) in
            if arguments.has(0) { options.watermark.width = try arguments.integer(0) }
            if arguments.has(1) { options.watermark.height = try arguments.integer(1) }
        } write: {
            let size = [$0.watermark.width, $0.watermark.height]
            return size == [0, 0] ? nil : text(size.map(Double.init))
        },
        OptionEntry("watermark_rotate", "wm_rot", "wmr") { options, arguments throws(ImageURLError) in
            let largest = Double(OptionArguments.largest)
            let angle = try arguments.number(0, in: -largest...largest).truncatingRemainder(dividingBy: 360)
            options.watermark.rotation = angle < 0 ? angle + 360 : angle + 0
        } write: {
            $0.watermark.rotation == 0 ? nil : text([$0.watermark.rotation])
        },
    ]

    private static func readWatermark(
        _ options: inout ProcessingOptions, _ arguments: inout OptionArguments
    ) throws(ImageURLError) {
        let largest = Double(OptionArguments.largest)
        options.watermark.opacity = try arguments.number(0, in: 0...1)
        if arguments.has(1) { options.watermark.placement = try arguments.value(1, among: Placement.ofWatermark) }
        if arguments.has(2) { options.watermark.x = try arguments.number(2, in: -largest...largest) }
        if arguments.has(3) { options.watermark.y = try arguments.number(3, in: -largest...largest) }
        if arguments.has(4) { options.watermark.scale = try arguments.number(4) }
    }
}
