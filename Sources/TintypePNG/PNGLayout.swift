import CTintypePNG
import TintypeCore

/// The channels in which a PNG is stored.
enum PNGLayout {
    /// Grey without alpha, with 1, 2, 4 or 8 bits.
    case grey(bits: Int)
    case greyAlpha
    case palette(PNGPalette)
    case rgb
    case rgbAlpha

    /// Grey of 8 bits, with alpha if it is needed.
    static func grey(_ isOpaque: Bool) -> PNGLayout { isOpaque ? .grey(bits: 8) : .greyAlpha }

    /// Colours of 8 bits, with alpha if it is needed.
    static func colors(_ isOpaque: Bool) -> PNGLayout { isOpaque ? .rgb : .rgbAlpha }

    var color: tintype_png_color {
        switch self {
        case .grey: .grey
        case .greyAlpha: .greyAlpha
        case .palette: .palette
        case .rgb: .rgb
        case .rgbAlpha: .rgbAlpha
        }
    }

    /// The bits of a sample or an index.
    var bits: Int {
        switch self {
        case .grey(let bits): bits
        case .palette(let palette): palette.bits
        case .greyAlpha, .rgb, .rgbAlpha: 8
        }
    }

    /// Whether the layout has no alpha.
    var isOpaque: Bool {
        switch self {
        case .grey, .rgb: true
        case .palette(let palette): palette.isOpaque
        case .greyAlpha, .rgbAlpha: false
        }
    }
}

/// What the pixels of one or more images of straight pixels have in common, from which follows the smallest layout.
struct PNGColorSurvey {
    /// The distinct colours in the order in which they came; `nil` if there are more than a palette may have.
    private(set) var colors: PNGColorTable?
    private var isGrey = true
    /// Whether all greys so far are among those of 1, 2 and 4 bits.
    private var fits = (one: true, two: true, four: true)
    private let limit: Int

    /// - Parameter limit: The largest number of colours of a palette; 256 if it is `nil`.
    init(limit: Int?) {
        self.limit = limit ?? 256
        colors = PNGColorTable()
    }

    /// Whether more pixels cannot change the result, except for their alpha.
    var isOver: Bool { colors == nil && !isGrey }

    /// Adds the pixels of an image.
    mutating func add(_ straight: PixelBuffer) {
        var last: UInt32?
        for y in 0..<straight.size.height where !isOver {
            straight.withWords(y) { row in
                for word in row where word != last {
                    add(word)
                    last = word
                }
            }
        }
    }

    private mutating func add(_ word: UInt32) {
        if colors?.insert(word, limit: limit) == false { colors = nil }
        guard isGrey else { return }
        let grey = word & 255
        isGrey = (word ^ word >> 8) & 0xFFFF == 0
        fits = (fits.one && grey % 255 == 0, fits.two && grey % 85 == 0, fits.four && grey % 17 == 0)
    }

    /// Returns the smallest layout for the pixels.
    ///
    /// - Parameter isOpaque: Whether all pixels are opaque.
    func layout(isOpaque: Bool, _ options: EncodeOptions) -> PNGLayout {
        guard options.colorMode != .trueColor else { return .colors(isOpaque) }
        let storesGrey = isGrey && options.allowsGrey
        if storesGrey, isOpaque, options.paletteLimit == nil {
            return .grey(bits: fits.one ? 1 : fits.two ? 2 : fits.four ? 4 : 8)
        }
        if let colors { return .palette(PNGPalette(colors)) }
        return storesGrey ? .grey(isOpaque) : .colors(isOpaque)
    }
}
