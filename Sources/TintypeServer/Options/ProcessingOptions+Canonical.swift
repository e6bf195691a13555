package import TintypeCore

extension ProcessingOptions {
    /// The options as the segments of a URL, for keys: equal work has equal text.
    ///
    /// Each option that differs from its initial value is written once, in the order of the table, with its shortest
    /// name and the shortest form of its numbers. Options that have no effect on the result are left out: the expiry,
    /// the file name, and settings of something that is off. Reading the text yields ``normalized``, if nothing but the
    /// text is applied to the initial value.
    package var canonical: String {
        let options = normalized
        return OptionTable.entries.compactMap { entry in
            entry.write(options).map { "\(entry.shortName):\($0)" }
        }.joined(separator: "/")
    }

    /// The options without those that have no effect on the result.
    package var normalized: ProcessingOptions {
        var (options, initial) = (self, ProcessingOptions())
        (options.expires, options.fileName, options.isAttachment) = (nil, "", false)
        options.fallbackURL = ""
        if output.isRaw {
            // The source is passed through as it is.
            initial.output.isRaw = true
            initial.cacheBuster = cacheBuster
            initial.output.defaultQuality = output.defaultQuality
            return initial
        }
        if crop.width == 0, crop.height == 0 { options.crop = CropOption() }
        if !extend.isEnabled { options.extend = CanvasOption() }
        if !extendAspectRatio.isEnabled { options.extendAspectRatio = CanvasOption() }
        if trim.threshold == nil { options.trim = TrimOption() }
        if color.monochrome.intensity == 0 { options.color.monochrome = MonochromeOption() }
        if color.duotone.intensity == 0 { options.color.duotone = DuotoneOption() }
        if filters.pixelate == 1 { options.filters.pixelate = 0 }
        if watermark.opacity == 0 { options.watermark = WatermarkOption() }
        if watermark.scale > 0 { (options.watermark.width, options.watermark.height) = (0, 0) }
        if !output.stripsMetadata { options.output.keepsCopyright = true }
        return options
    }

    /// Returns these options for a result of one format: with the quality that it has, nothing else about formats, and
    /// nothing about metadata if it has none.
    ///
    /// So two URLs have the same text if they reach the same quality in different ways.
    package func resolved(for format: ImageFormat) -> ProcessingOptions {
        var options = self
        options.output.quality = output.quality(for: format)
        options.output.formatQuality = OutputOptions().formatQuality
        options.output.defaultQuality = OutputOptions().defaultQuality
        options.output.format = nil
        if ImageMetadata.writableKinds(for: format).isEmpty {
            (options.output.stripsMetadata, options.output.keepsCopyright) = (true, true)
        }
        return options
    }
}
