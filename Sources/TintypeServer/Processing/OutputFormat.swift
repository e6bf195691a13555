import TintypeCore

/// Chooses the format of a result.
struct OutputFormats: Sendable {
    /// The formats that a result has if neither the URL nor the client names one, the preferred one first. The format
    /// of the source is kept if it is among them.
    var preferred: [ImageFormat] = [.jpeg, .png, .gif]

    /// Creates the default choice.
    init() {}

    /// Returns the format of a result.
    ///
    /// - Parameters:
    ///   - info: The header of the source.
    ///   - options: The options of the URL, whose format wins.
    ///   - accept: What the client accepts; it wins over the source's.
    func format(for info: ImageInfo, _ options: ProcessingOptions, accept: AcceptClass) -> ImageFormat {
        if let format = options.output.format { return format }
        let isAnimated = info.frameCount > 1
        if let accepted = accept.format(isAnimated: isAnimated) { return accepted.imageFormat }
        if preferred.contains(info.format) { return info.format }
        let suitable = preferred.first { format in
            (!isAnimated || ImageFormat.animated.contains(format)) && (!info.hasAlpha || format.hasAlpha)
        }
        return suitable ?? .png
    }
}

extension NegotiableFormat {
    /// The format of an encoder.
    var imageFormat: ImageFormat {
        switch self {
        case .avif: .avif
        case .webp: .webp
        case .jxl: .jxl
        }
    }
}

extension ImageFormat {
    /// The formats that the server writes with all frames of an animation.
    static let animated: Set<ImageFormat> = [.gif, .webp]
}
