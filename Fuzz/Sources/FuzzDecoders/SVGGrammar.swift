import Foundation

/// Writes an SVG whose elements and attributes are those of the specification and whose values are extreme. Each byte of
/// the input makes one choice.
struct SVGGrammar {
    private var choices: ArraySlice<UInt8>
    private var text = ""

    private static let shapes = [
        "rect", "circle", "ellipse", "line", "path", "polyline", "polygon", "text", "tspan", "use", "g", "svg", "image",
        "a",
        "switch",
    ]
    private static let definitions = [
        "linearGradient", "radialGradient", "pattern", "mask", "clipPath", "filter", "marker", "symbol", "stop",
        "style",
    ]
    private static let steps = [
        "feBlend", "feColorMatrix", "feComponentTransfer", "feFuncR", "feComposite", "feConvolveMatrix",
        "feDiffuseLighting", "feDistantLight", "feDisplacementMap", "feDropShadow", "feFlood", "feGaussianBlur",
        "feImage",
        "feMerge", "feMergeNode", "feMorphology", "feOffset", "feSpecularLighting", "fePointLight", "feSpotLight",
        "feTile",
        "feTurbulence",
    ]
    private static let elements = shapes + definitions + steps + shapes + steps + ["tref"]
    private static let lists = [
        "x", "y", "width", "height", "cx", "cy", "r", "rx", "ry", "fx", "fy", "x1", "y1", "x2", "y2", "dx", "dy",
        "rotate",
        "textLength", "offset", "stroke-width", "stroke-miterlimit", "stroke-dasharray", "stroke-dashoffset", "opacity",
        "fill-opacity", "font-size", "letter-spacing", "refX", "refY", "markerWidth", "markerHeight", "orient", "order",
        "kernelMatrix", "divisor", "bias", "targetX", "targetY", "kernelUnitLength", "surfaceScale", "diffuseConstant",
        "specularConstant", "specularExponent", "azimuth", "elevation", "z", "limitingConeAngle", "baseFrequency",
        "numOctaves", "seed", "stdDeviation", "radius", "scale", "k1", "k2", "slope", "amplitude", "exponent", "points",
        "values", "tableValues", "viewBox",
    ]
    private static let references = ["fill", "stroke", "filter", "mask", "clip-path", "marker-mid", "marker-end"]
    private static let words = [
        "patternUnits", "gradientUnits", "maskUnits", "clipPathUnits", "filterUnits", "primitiveUnits", "spreadMethod",
        "preserveAspectRatio", "mode", "operator", "type", "edgeMode", "preserveAlpha", "in", "in2", "result",
        "stitchTiles", "color-interpolation-filters", "writing-mode", "direction", "text-anchor", "stroke-linejoin",
        "stroke-linecap", "overflow", "mix-blend-mode", "isolation", "xml:space",
    ]
    /// The attributes that set the units of an element's contents.
    private static let units = [
        "pattern": "patternContentUnits", "mask": "maskContentUnits", "filter": "primitiveUnits",
        "marker": "markerUnits", "clipPath": "clipPathUnits",
    ]
    private static let wordValues = [
        "objectBoundingBox", "userSpaceOnUse", "auto", "normal", "multiply", "over", "in", "arithmetic", "duplicate",
        "wrap",
        "none", "true", "false", "stitch", "fractalNoise", "erode", "dilate", "matrix", "saturate", "table", "discrete",
        "linear", "gamma", "linearRGB", "reflect", "xMaxYMax slice", "hidden", "SourceGraphic", "SourceAlpha",
        "BackgroundImage", "r", "rtl", "tb", "round", "preserve", "isolate", "end",
    ]
    private static let functions = [
        "blur", "sepia", "hue-rotate", "opacity", "drop-shadow", "url", ":not", ":is", ":host", "rgb", "calc",
    ]
    /// The numbers of repetitions and levels: few, and those beside the limits.
    private static let counts = [1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 5, 5, 8, 20, 64, 65]
    private static let numbers = [
        "0", "1", "-1", "0.5", "2", "3", "10", "21", "100", "255", "400", "441", "1000", "32767", "32768", "65536",
        "2147483647", "2147483648", "-2147483648", "4294967296", "1e10", "1e38", "1e308", "1e309", "-1e309", "1e-5",
        "1e-45", "nan", "50%", "1000000%", "1em", "1e10em", "100in", "auto",
    ]

    /// The widths, font sizes and scales of lines and texts, which are multiplied where they are nested.
    private static let sizes = ["1", "1e2", "1e4", "1e6", "1e8", "1e10", "1e12", "1e15"]

    init(_ bytes: Data) {
        choices = ArraySlice(bytes)
    }

    /// Returns the document.
    static func document(_ bytes: Data) -> Data {
        var grammar = SVGGrammar(bytes)
        grammar.text = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:x='urn:x' width='100' height='100'>"
        while !grammar.choices.isEmpty { grammar.element(depth: 0) }
        return Data((grammar.text + "</svg>").utf8)
    }

    private mutating func next(below limit: Int) -> Int { Int(choices.popFirst() ?? 0) % limit }

    private mutating func any(of list: [String]) -> String { list[next(below: list.count)] }

    private mutating func element(depth: Int) {
        let name = any(of: Self.elements)
        text += "<\(name) id='i\(next(below: 8))'"
        var used: Set<String> = ["id"]
        for _ in 0..<next(below: 7) { attribute(&used, of: name) }
        text += ">"
        if name == "text" || name == "tspan" { text += any(of: ["a", "hello", "\u{202E}\u{5D0}", "\u{600}\u{301}"]) }
        if name == "style" { text += styleSheet() }
        if depth < 6 { for _ in 0..<next(below: 4) where !choices.isEmpty { element(depth: depth + 1) } }
        text += "</\(name)>"
    }

    private mutating func attribute(_ used: inout Set<String>, of element: String) {
        let (name, value): (String, String) =
            switch next(below: 12) {
            case 1 where Self.units[element] != nil, 2 where Self.units[element] != nil:
                (Self.units[element] ?? "", any(of: ["objectBoundingBox", "userSpaceOnUse"]))
            case 0: (any(of: Self.references), "url(#i\(next(below: 8)))")
            case 1: (any(of: Self.words), any(of: Self.wordValues))
            case 2: ("href", "#i\(next(below: 8))")
            case 3: (any(of: ["transform", "gradientTransform", "patternTransform"]), transform())
            case 4 where element == "path": ("d", path())
            case 5: (any(of: ["filter", "style", "x:filter"]), "filter:" + functionList())
            case 6: ("filter", functionList())
            case 7: (any(of: ["x:", "xml:"]) + any(of: Self.lists + ["id", "href", "class"]), list())
            case 8 where element == "feMorphology", 9 where element == "feMorphology": ("radius", list())
            case 8: (any(of: ["class", "href", "x:href"]), repeated(any(of: ["data:", "i0 ", "#i0 "])))
            case 11: line()
            default: (any(of: Self.lists), list())
            }
        guard used.insert(name).inserted else { return }
        text += " \(name)='\(value)'"
    }

    /// Returns an attribute of a line or a text.
    private mutating func line() -> (String, String) {
        switch next(below: 6) {
        case 0: ("stroke", "#000")
        case 1: ("stroke-linejoin", "round")
        case 2: ("stroke-linecap", "round")
        case 3: ("transform", "scale(\(any(of: Self.sizes)))")
        case 4: ("font-size", any(of: Self.sizes))
        default: ("stroke-width", any(of: Self.sizes))
        }
    }

    private mutating func list() -> String {
        let counts = [1, 1, 1, 2, 4, 9, 20, 400, 441]
        let count = counts[next(below: counts.count)]
        let (first, second) = (any(of: Self.numbers), any(of: Self.numbers))
        return ([first] + Array(repeating: second, count: count - 1)).joined(separator: " ")
    }

    private mutating func repeated(_ text: String) -> String {
        String(repeating: text, count: Self.counts[next(below: Self.counts.count)])
    }

    private mutating func functionList() -> String {
        let argument = any(of: [list(), "#i\(next(below: 8))", ""])
        return repeated("\(any(of: Self.functions))(\(argument)) ")
    }

    /// Returns a rule whose selector is nested, perhaps between quotes and comments.
    private mutating func styleSheet() -> String {
        let level = any(of: ["(", "(/*)*/", "([a=')']", "(<!-- ) -->", "(<![CDATA[a]]>"])
        let depth = Self.counts[next(below: Self.counts.count)]
        let function = any(of: Self.functions) + level
        let selector = String(repeating: function, count: depth) + "a" + String(repeating: ")", count: depth)
        return "\(selector),#i\(next(below: 8)),*{\(any(of: Self.references)):\(functionList());"
            + "\(any(of: Self.lists)):\(list())}"
    }

    private mutating func transform() -> String {
        "\(any(of: ["matrix", "translate", "scale", "rotate", "skewX"]))(\(list()))"
    }

    private mutating func path() -> String {
        var path = "M0 0"
        for _ in 0..<next(below: 6) { path += any(of: ["L", "h", "C", "s", "Q", "t", "A", "z", "V"]) + list() }
        return path
    }
}
