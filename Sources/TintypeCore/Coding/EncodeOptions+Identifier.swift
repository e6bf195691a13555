extension EncodeOptions {
    /// A canonical form of the options that differ from their defaults; empty if none does.
    ///
    /// Options that mean the same have the same identifier: values outside of a range count as its nearest end.
    /// Programs that store encoded images can make it a part of their keys. A pipeline does not: the stored form of a
    /// rendition is a matter of ``LoadPolicy``, and its key is that of the rendition.
    package var identifier: String {
        (contents + choices).joined(separator: ",")
    }

    /// What the file contains.
    private var contents: [String] {
        var parts: [String] = []
        // Its alpha has no effect.
        let color = Color(red: background.red, green: background.green, blue: background.blue)
        if color != .white { parts.append("background(\(color))") }
        if let maximumSize { parts.append("size(\(maximumSize))") }
        if let maximumByteCount { parts.append("bytes(\(maximumByteCount))") }
        if embedsThumbnail { parts.append("thumbnail") }
        if let frames { parts.append("frames(\(frames.map(String.init).joined(separator: " ")))") }
        if !metadata.isEmpty { parts.append("metadata(\(metadata.map(\.rawValue).sorted().joined(separator: " ")))") }
        if colorSpace != .sRGB { parts.append("space(\(colorSpace.rawValue))") }
        if range == .high { parts.append("high") }
        if range == .high, highRangeForm == .gainMap { parts.append("gainmap") }
        return parts
    }

    /// How it is coded.
    private var choices: [String] {
        var parts: [String] = []
        if usedQuality != 1 { parts.append("quality(\(usedQuality))") }
        if isLossless != (usedQuality == 1) { parts.append(isLossless ? "lossless" : "lossy") }
        if let usedEffort { parts.append("effort(\(usedEffort))") }
        if chroma != .automatic { parts.append(chroma.identifier) }
        if isProgressive { parts.append("progressive") }
        if colorMode == .trueColor { parts.append("truecolor") }
        if let paletteLimit { parts.append("palette(\(paletteLimit))") }
        if depth != .sixteen { parts.append("depth(\(depth.rawValue))") }
        return parts
    }
}

extension EncodeOptions.Chroma {
    fileprivate var identifier: String {
        switch self {
        case .automatic: ""
        case .yuv420: "420"
        case .yuv422: "422"
        case .yuv444: "444"
        case .sharp420: "sharp"
        }
    }
}
