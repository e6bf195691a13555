import TintypeCore

/// The nesting of brackets in a style sheet (CSS Syntax 3, 4.3). librsvg reads a selector inside another, as in
/// `:not(:not(a))`, by recursion without a limit.
///
/// An opening bracket counts wherever it is, even in a comment. A closing bracket that only appears to close something
/// must not hide depth.
struct SVGStyleNesting {
    /// The construct to which the next byte belongs.
    private enum State: Equatable {
        case plain
        case comment
        case string(quote: UInt8)
        /// After `url(`: a quote begins a string, anything else a URL without quotes.
        case urlStart
        case url
    }

    /// The brackets that would close those that are open.
    private var closers: [UInt8] = []
    /// The number of those that are not braces.
    private var innerCount = 0
    private var state = State.plain
    /// The number of brackets that were open before the comment, string or URL.
    private var floor = 0
    private var isEscaped = false
    private var previous: UInt8 = 0
    /// The beginning of the name that is being read.
    private var name: [UInt8] = []

    /// The deepest nesting accepted. Normal style sheets stay below ten.
    static let maximum = 64

    /// Checks a style sheet, or the value of a `style` attribute.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for brackets that are nested too deeply.
    static func check(_ css: [UInt8]) throws(TintypeError) {
        var nesting = SVGStyleNesting()
        for byte in css {
            nesting.read(byte)
            guard nesting.closers.count <= maximum else {
                throw .exceeded(.elements, "an SVG with more than \(maximum) levels of brackets in a style sheet")
            }
        }
    }

    /// Whether the last byte divides rules and declarations.
    var isAfterDivider: Bool { state == .plain && innerCount == 0 && Self.dividers.contains(previous) }

    private static let dividers = Array(";{}".utf8)

    mutating func read(_ byte: UInt8) {
        if isEscaped {
            (isEscaped, previous) = (false, 0)
            return
        }
        // A character that ends one construct does not begin a two-character token.
        let before = state
        defer { previous = state == before ? byte : 0 }
        if byte == UInt8(ascii: "\\"), state != .comment {
            if state == .urlStart { state = .url }
            (isEscaped, name) = (true, Self.escapedName)
            return
        }
        switch state {
        case .plain: readPlain(byte)
        case .comment: byte == UInt8(ascii: "/") && previous == UInt8(ascii: "*") ? leave() : bracket(byte)
        case .string(let quote): byte == quote || byte == 0x0A || byte == 0x0D ? leave() : bracket(byte)
        case .urlStart: readURLStart(byte)
        case .url: byte == UInt8(ascii: ")") ? leave() : bracket(byte)
        }
    }

    private mutating func readPlain(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "*") where previous == UInt8(ascii: "/"): enter(.comment)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): enter(.string(quote: byte))
        case UInt8(ascii: "(") where name.elementsEqual("url".utf8): enter(.urlStart)
        default: bracket(byte)
        }
        readName(byte)
    }

    /// Reads the first byte after `url(`.
    private mutating func readURLStart(_ byte: UInt8) {
        guard byte > 0x20 else { return }
        (state, floor) = (.plain, 0)
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            open(UInt8(ascii: ")"))
            enter(.string(quote: byte))
        } else if byte != UInt8(ascii: ")") {
            enter(.url)
            bracket(byte)
        }
    }

    private mutating func enter(_ state: State) {
        (self.state, floor) = (state, closers.count)
    }

    private mutating func leave() {
        while closers.count > floor { close() }
        (state, floor, name) = (.plain, 0, [])
    }

    /// Opens or closes a bracket. One that does not match the last is ignored, as by librsvg.
    private mutating func bracket(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "("): open(UInt8(ascii: ")"))
        case UInt8(ascii: "["): open(UInt8(ascii: "]"))
        case UInt8(ascii: "{"): open(UInt8(ascii: "}"))
        default: if byte == closers.last, closers.count > floor { close() }
        }
    }

    private mutating func open(_ closer: UInt8) {
        closers.append(closer)
        innerCount += closer == UInt8(ascii: "}") ? 0 : 1
    }

    private mutating func close() {
        innerCount -= closers.removeLast() == UInt8(ascii: "}") ? 0 : 1
    }

    private mutating func readName(_ byte: UInt8) {
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        guard isLetter || isDigit || byte >= 0x80 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") else {
            name = []
            return
        }
        if name.count < Self.escapedName.count { name.append(byte | 0x20) }
    }

    /// Stands for a name with an escape; longer than any that matters.
    private static let escapedName: [UInt8] = [0, 0, 0, 0]
}
