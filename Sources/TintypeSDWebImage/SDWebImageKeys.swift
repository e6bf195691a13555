import Foundation
public import TintypeCore

/// Cache keys in SDWebImage 5 format, for programs that share a cache or conventions with it.
///
/// Tintype's own keys are identifiers, which distinguish more settings.
public enum SDWebImageKeys {
    /// Returns the `transformerKey` of the equivalent SDWebImage transformer, or `nil` if there is none.
    package static func key(of transformer: any ImageTransformer) -> String? {
        switch transformer {
        case let resize as ResizeTransformer: resizeKey(resize)
        case let crop as CropTransformer: cropKey(crop)
        case let rotate as RotateTransformer:
            "SDImageRotationTransformer(\(float(rotate.degrees * .pi / 180)),\(rotate.isFitting ? 1 : 0))"
        case let round as RoundCornersTransformer: roundKey(round)
        case let flip as FlipTransformer:
            "SDImageFlippingTransformer(\(flip.isHorizontal ? 1 : 0),\(flip.isVertical ? 1 : 0))"
        case let tint as TintTransformer: "SDImageTintTransformer(\(color(tint.color)),\(tint.mode.rawValue))"
        case let blur as BlurTransformer: "SDImageBlurTransformer(\(float(blur.radius)))"
        case let chain as TransformerChain: key(of: chain.transformers)
        default: nil
        }
    }

    /// Returns the key of SDWebImage's pipeline transformer, or `nil` if the list is empty or a transformer has no
    /// equivalent.
    public static func key(of transformers: [any ImageTransformer]) -> String? {
        var (rest, keys) = (transformers[...], [String]())
        while let first = rest.popFirst() {
            let letterbox = letterboxKey(first, rest.first)
            if letterbox != nil { rest = rest.dropFirst() }
            guard let key = letterbox ?? key(of: first) else { return nil }
            keys.append(key)
        }
        return keys.isEmpty ? nil : keys.joined(separator: "-")
    }

    /// Returns the key of SDWebImage's aspect fit, which is two transformers here.
    private static func letterboxKey(_ first: any ImageTransformer, _ second: (any ImageTransformer)?) -> String? {
        guard let resize = first as? ResizeTransformer, let canvas = second as? CanvasTransformer, resize.mode == .fit,
            resize.isEnlarging, resize.filter == .lanczos3, canvas == CanvasTransformer(resize.size)
        else { return nil }
        return "SDImageResizingTransformer(\(size(resize.size)),1)"
    }

    /// Returns SDWebImage's key part for an image decoded to a size in pixels.
    public static func thumbnailKey(_ size: PixelSize, preservesAspectRatio: Bool) -> String {
        "Thumbnail(\(Self.size(size)),\(preservesAspectRatio ? 1 : 0))"
    }

    /// Returns the key of the result of applying a transformer to the image with `key`.
    ///
    /// The transformer's key is inserted before the extension of the path, or appended to the key if there is
    /// none. The query and the fragment of a URL stay where they are.
    ///
    /// - Parameters:
    ///   - key: The key of the original image: a URL or any text.
    ///   - transformerKey: The key of the transformer.
    public static func joined(_ key: String, with transformerKey: String) -> String {
        guard let path = pathOfURL(key) else {
            return inserted(transformerKey, into: key[...]) ?? "\(key)-\(transformerKey)"
        }
        let escaped = transformerKey.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? transformerKey
        guard let changed = inserted(escaped, into: key[path]) else { return "\(key)-\(transformerKey)" }
        return key[..<path.lowerBound] + changed + key[path.upperBound...]
    }

    // MARK: - Parts

    /// Returns `nil` unless the resize enlarges, crops at the centre and uses Lanczos, as SDWebImage always does. A fit
    /// alone lacks the margins of SDWebImage's.
    private static func resizeKey(_ resize: ResizeTransformer) -> String? {
        let isCentred = resize.gravity == .center && resize.focalPoint == nil
        guard resize.isEnlarging, resize.filter == .lanczos3,
            resize.mode == .stretch || resize.mode == .fill && isCentred
        else { return nil }
        return "SDImageResizingTransformer(\(size(resize.size)),\(resize.mode == .fill ? 2 : 0))"
    }

    private static func cropKey(_ crop: CropTransformer) -> String? {
        guard case .rect(let rect) = crop.part else { return nil }
        let numbers = [rect.x, rect.y, rect.size.width, rect.size.height].map { float(Double($0)) }
        return "SDImageCroppingTransformer({\(numbers.joined(separator: ","))})"
    }

    private static func roundKey(_ round: RoundCornersTransformer) -> String {
        let corners = round.cornerBits == 15 ? UInt.max : UInt(bitPattern: round.cornerBits)
        let border = round.borderColor == .clear ? "(null)" : color(round.borderColor)
        return "SDImageRoundCornerTransformer(\(float(round.radius)),\(corners),\(float(round.borderWidth)),\(border))"
    }

    private static func size(_ size: PixelSize) -> String {
        "{\(float(Double(size.width))),\(float(Double(size.height)))}"
    }

    private static func float(_ value: Double) -> String { String(format: "%f", value) }

    /// The colour as `#aarrggbb`.
    private static func color(_ color: Color) -> String {
        let channels = [color.alpha, color.red, color.green, color.blue].map(UInt32.init)
        return String(format: "#%08x", channels.reduce(0) { $0 << 8 | $1 })
    }

    // MARK: - Insertion

    /// Returns the range of the path in a URL that is not a file URL, or `nil` for all other keys.
    private static func pathOfURL(_ key: String) -> Range<String.Index>? {
        guard let scheme = key.range(of: "://"), !key.lowercased().hasPrefix("file:") else { return nil }
        let rest = key[scheme.upperBound...]
        let start = rest.firstIndex { "/?#".contains($0) } ?? key.endIndex
        return start..<(key[start...].firstIndex { "?#".contains($0) } ?? key.endIndex)
    }

    /// Returns the path with the key inserted before its extension, or `nil` if it has no extension. A dot at either
    /// end of the last component does not begin one.
    private static func inserted(_ transformerKey: String, into path: Substring) -> String? {
        let name = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, dot != name.indices.last else { return nil }
        return "\(path[..<dot])-\(transformerKey)\(path[dot...])"
    }
}
