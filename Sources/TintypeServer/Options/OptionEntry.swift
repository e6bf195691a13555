/// The place of an option's value.
typealias OptionPath<Value> = any WritableKeyPath<ProcessingOptions, Value> & Sendable

/// An option: its names, how its arguments are read, and how its value is written.
struct OptionEntry: Sendable {
    /// The full name, then the others.
    let names: [String]
    /// The largest number of arguments.
    let maximumCount: Int
    /// Whether the option replaces a limit of the configuration, which needs a permission.
    let isLimit: Bool
    /// Reads the arguments into a value. There is at least one, and at most ``maximumCount``.
    let read: @Sendable (inout ProcessingOptions, inout OptionArguments) throws(ImageURLError) -> Void
    /// Returns the arguments that stand for a value; `nil` for the initial value. Options that only set others write
    /// nothing, and neither do those without effect on the result.
    let write: @Sendable (ProcessingOptions) -> String?

    /// Creates an entry.
    init(
        _ names: String..., count: Int = 1, isLimit: Bool = false,
        read: @escaping @Sendable (inout ProcessingOptions, inout OptionArguments) throws(ImageURLError) -> Void,
        write: @escaping @Sendable (ProcessingOptions) -> String? = { _ in nil }
    ) {
        self.init(names: names, count: count, isLimit: isLimit, read: read, write: write)
    }

    /// Creates an entry from a list of names.
    init(
        names: [String], count: Int = 1, isLimit: Bool = false,
        read: @escaping @Sendable (inout ProcessingOptions, inout OptionArguments) throws(ImageURLError) -> Void,
        write: @escaping @Sendable (ProcessingOptions) -> String?
    ) {
        self.names = names
        maximumCount = count
        self.isLimit = isLimit
        self.read = read
        self.write = write
    }

    /// The shortest name, which the canonical form uses.
    var shortName: String { names.min { $0.utf8.count < $1.utf8.count } ?? "" }
}

// MARK: - Options with one argument

extension OptionEntry {
    /// An integer.
    static func integer(
        _ names: String..., at path: OptionPath<Int>,
        in range: ClosedRange<Int> = 0...OptionArguments.largest
    ) -> OptionEntry {
        let initial = ProcessingOptions()[keyPath: path]
        return OptionEntry(names: names) { options, arguments throws(ImageURLError) in
            options[keyPath: path] = try arguments.integer(0, in: range)
        } write: {
            $0[keyPath: path] == initial ? nil : String($0[keyPath: path])
        }
    }

    /// A limit in whole numbers.
    static func limit(
        _ names: String..., at path: OptionPath<Int?>, from least: Int = 0
    ) -> OptionEntry {
        OptionEntry(names: names, isLimit: true) { options, arguments throws(ImageURLError) in
            options[keyPath: path] = try arguments.integer(0, in: least...1_000_000_000_000)
        } write: {
            $0[keyPath: path].map { String($0) }
        }
    }

    /// A limit of pixels, in millions.
    static func megapixels(
        _ names: String..., at path: OptionPath<Int?>
    ) -> OptionEntry {
        OptionEntry(names: names, isLimit: true) { options, arguments throws(ImageURLError) in
            options[keyPath: path] = Int((try arguments.number(0) * 1e6).rounded())
        } write: {
            $0[keyPath: path].map { CanonicalNumber.text(Double($0) / 1e6) }
        }
    }

    /// A decimal number.
    static func number(
        _ names: String..., at path: OptionPath<Double>,
        in range: ClosedRange<Double> = 0...Double(OptionArguments.largest), aboveZero: Bool = false
    ) -> OptionEntry {
        let initial = ProcessingOptions()[keyPath: path]
        return OptionEntry(names: names) { options, arguments throws(ImageURLError) in
            options[keyPath: path] = try arguments.number(0, in: range, aboveZero: aboveZero)
        } write: {
            $0[keyPath: path] == initial ? nil : CanonicalNumber.text($0[keyPath: path])
        }
    }

    /// A truth value.
    static func boolean(
        _ names: String..., at path: OptionPath<Bool>
    ) -> OptionEntry {
        let initial = ProcessingOptions()[keyPath: path]
        return OptionEntry(names: names) { options, arguments throws(ImageURLError) in
            options[keyPath: path] = arguments.boolean(0)
        } write: {
            $0[keyPath: path] == initial ? nil : $0[keyPath: path] ? "1" : "0"
        }
    }
}
