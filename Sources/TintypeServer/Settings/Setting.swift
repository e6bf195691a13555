/// One setting: its names, its type, its default and what it does.
///
/// The parser and the documentation read the same table of settings, so neither can have a name that the other lacks.
package struct Setting: Sendable {
    /// The environment variable.
    package let name: String
    /// The variable of imgproxy with the same meaning; `nil` if there is none.
    package let alias: String?
    /// What values are accepted, after the word "expected".
    package let expected: String
    /// What the setting does, in one line.
    package let help: String
    /// Whether the value is never shown, and may come from a file that `name` with `_FILE` names.
    package let isSecret: Bool
    /// Stores the value of a text; returns whether the text is valid.
    let store: @Sendable (String, inout ServerSettings) -> Bool
    /// Returns the text of the value.
    let text: @Sendable (ServerSettings) -> String

    /// The text of the default.
    package var standard: String { isSecret ? "" : text(ServerSettings()) }

    /// The variable that names a file with the value; `nil` for a setting that is not a secret.
    package var fileName: String? { isSecret ? "\(name)_FILE" : nil }
}

extension Setting {
    typealias Path<Value> = any WritableKeyPath<ServerSettings, Value> & Sendable

    /// The beginning of every name.
    static let prefix = "TINTYPE_"
    /// The beginning of every alias.
    static let aliasPrefix = "IMGPROXY_"

    /// Describes a setting of any type.
    ///
    /// - Parameters:
    ///   - name: The name without its prefix.
    ///   - alias: The name of imgproxy without its prefix.
    static func value<Value>(
        _ name: String, alias: String? = nil, _ path: Path<Value>, expected: String, isSecret: Bool = false,
        help: String, parse: @escaping @Sendable (String) -> Value?, text: @escaping @Sendable (Value) -> String
    ) -> Setting {
        Setting(
            name: prefix + name, alias: alias.map { aliasPrefix + $0 }, expected: expected, help: help,
            isSecret: isSecret,
            store: { text, settings in
                guard let value = parse(text) else { return false }
                settings[keyPath: path] = value
                return true
            },
            text: { text($0[keyPath: path]) })
    }

    /// A whole number.
    static func integer(
        _ name: String, alias: String? = nil, _ path: Path<Int>, in range: ClosedRange<Int>, help: String
    ) -> Setting {
        value(
            name, alias: alias, path, expected: "an integer from \(range.lowerBound) to \(range.upperBound)",
            help: help,
            parse: { SettingText.integer($0).flatMap { range.contains($0) ? $0 : nil } }, text: { "\($0)" })
    }

    /// A number of bytes.
    static func bytes(
        _ name: String, alias: String? = nil, _ path: Path<Int>, minimum: Int = 0, help: String
    ) -> Setting {
        value(
            name, alias: alias, path,
            expected: "a number of bytes, such as 67108864, 64M or 1G\(minimum > 0 ? ", and at least \(minimum)" : "")",
            help: help,
            parse: { SettingText.bytes($0).flatMap { $0 >= minimum ? $0 : nil } }, text: SettingText.bytesText)
    }

    /// A number with a fraction.
    static func decimal(
        _ name: String, alias: String? = nil, _ path: Path<Double>, in range: ClosedRange<Int>, help: String
    ) -> Setting {
        value(
            name, alias: alias, path, expected: "a number from \(range.lowerBound) to \(range.upperBound)", help: help,
            parse: {
                SettingText.decimal($0).flatMap { Double(range.lowerBound)...Double(range.upperBound) ~= $0 ? $0 : nil }
            },
            text: SettingText.decimalText)
    }

    /// A time in seconds, more than none.
    static func seconds(_ name: String, alias: String? = nil, _ path: Path<Duration>, help: String) -> Setting {
        value(
            name, alias: alias, path, expected: "a number of seconds from 0.001 to 86400", help: help,
            parse: { text in
                guard let seconds = SettingText.decimal(text), (0.001...86_400).contains(seconds) else { return nil }
                return .milliseconds(Int((seconds * 1000).rounded()))
            },
            text: { SettingText.decimalText($0 / .seconds(1)) })
    }

    /// A truth value.
    static func flag(_ name: String, alias: String? = nil, _ path: Path<Bool>, help: String) -> Setting {
        value(
            name, alias: alias, path, expected: "true or false", help: help, parse: SettingText.boolean,
            text: { $0 ? "true" : "false" })
    }

    /// A text that may be absent.
    static func text(
        _ name: String, alias: String? = nil, _ path: Path<String?>, expected: String, help: String,
        isValid: @escaping @Sendable (String) -> Bool
    ) -> Setting {
        value(
            name, alias: alias, path, expected: expected, help: help, parse: { isValid($0) ? .some($0) : nil },
            text: { $0 ?? "" })
    }

    /// A list, divided by commas.
    static func list(
        _ name: String, alias: String? = nil, _ path: Path<[String]>, expected: String, separator: Character = ",",
        help: String, isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Setting {
        value(
            name, alias: alias, path, expected: expected, help: help,
            parse: { text in
                let elements = SettingText.elements(text, separator: separator)
                return elements.allSatisfy(isValid) ? elements : nil
            },
            text: { $0.joined(separator: String(separator)) })
    }
}
