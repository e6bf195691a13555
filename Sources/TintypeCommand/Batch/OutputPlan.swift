import Foundation
import Tintype

/// An image to convert, and where it was found.
struct BatchInput: Hashable, Sendable {
    let source: SourceArgument
    /// The directory below the one that was named, without slashes at its ends; empty if the input was named itself.
    var directory = ""

    /// The source as output names it.
    var name: String { SourceArgument.displayName(of: source.text) }
}

/// Where a batch writes its outputs.
enum OutputTarget: Equatable, Sendable {
    case standardOutput
    case template(OutputTemplate)

    /// - Parameters:
    ///   - text: `-`, a path, a directory, or a template.
    ///   - isDirectory: Whether the path is that of an existing directory.
    init(_ text: String, isDirectory: Bool) throws(OutputTemplate.ParsingError) {
        if text == "-" {
            self = .standardOutput
        } else if isDirectory || text.hasSuffix("/") {
            self = .template(OutputTemplate(mirroringInto: text))
        } else {
            self = .template(try OutputTemplate(parsing: text))
        }
    }
}

/// The outputs of a batch, decided before anything is read or written.
struct OutputPlan: Sendable {
    struct Entry: Sendable, Equatable {
        let input: BatchInput
        let format: ImageFormat
        let target: OutputTarget
        fileprivate(set) var fields: OutputFields

        /// The path of the output, or `nil` for standard output.
        ///
        /// - Parameter size: The size of the output in pixels, if it is known.
        func path(size: PixelSize? = nil) -> String? {
            guard case .template(let template) = target else { return nil }
            var fields = fields
            fields.size = size
            return template.path(fields)
        }

        /// Whether the path is known before the image is decoded.
        var isPathKnown: Bool {
            guard case .template(let template) = target else { return true }
            return template.fields.isDisjoint(with: [.width, .height])
        }
    }

    /// Why a batch cannot run. Nothing was written.
    enum Problem: Error, Equatable {
        /// Two inputs have one output.
        case collision(String, String, output: String)
        /// An output would replace an input, which another image may still need.
        case replacesInput(String, output: String)
        /// Several images for standard output.
        case severalForStandardOutput
        /// Neither the template nor the input names a format that can be written.
        case unknownFormat(String)
        /// The format that was chosen cannot be written.
        case unwritableFormat(String)
    }

    let entries: [Entry]

    /// - Parameters:
    ///   - inputs: The images. One that is named several times counts once.
    ///   - format: The format that the user chose, or `nil` to take it from the output's extension, otherwise the input's.
    ///   - writable: The formats that can be written.
    ///   - directory: The current directory, to compare relative paths with absolute ones.
    init(
        _ inputs: [BatchInput], to target: OutputTarget, as format: ImageFormat?, writable: Set<ImageFormat>,
        directory: String
    ) throws(Problem) {
        var seen: Set<SourceArgument> = []
        let inputs = inputs.filter { seen.insert($0.source).inserted }
        guard target != .standardOutput || inputs.count < 2 else { throw .severalForStandardOutput }
        let digits = String(inputs.count).count
        var entries: [Entry] = []
        for (number, input) in inputs.enumerated() {
            let name = InputName(input.source.text)
            let chosen = try Self.format(of: name, input, target, format, writable)
            let fields = OutputFields(
                stem: name.stem, name: name.name, fileExtension: name.fileExtension(for: chosen), format: chosen,
                directory: input.directory, index: OutputFields.index(number + 1, digits: digits))
            entries.append(Entry(input: input, format: chosen, target: target, fields: fields))
        }
        self.entries = entries
        try checkCollisions(in: directory)
    }

    private static func format(
        of name: InputName, _ input: BatchInput, _ target: OutputTarget, _ format: ImageFormat?,
        _ writable: Set<ImageFormat>
    ) throws(Problem) -> ImageFormat {
        var named: String?
        if case .template(let template) = target { named = template.fileExtension }
        if let format = format ?? named.flatMap(ImageFormat.init(fileExtension:)) {
            guard writable.contains(format) else { throw .unwritableFormat(format.rawValue) }
            return format
        }
        guard named == nil, let format = name.format, writable.contains(format) else {
            throw .unknownFormat(input.name)
        }
        return format
    }

    /// Compares the paths of all outputs with each other and with those of the inputs. Fields that are not known yet
    /// count as equal.
    private func checkCollisions(in directory: String) throws(Problem) {
        var inputOfOutput: [String: BatchInput] = [:]
        let inputPaths = Set(entries.compactMap { $0.input.source.path.map { Self.absolute($0, in: directory) } })
        for entry in entries {
            guard let output = entry.path() else { continue }
            let path = Self.absolute(output, in: directory)
            if let other = inputOfOutput.updateValue(entry.input, forKey: path) {
                throw .collision(other.name, entry.input.name, output: output)
            }
            if entries.count > 1, inputPaths.contains(path) {
                throw .replacesInput(entry.input.name, output: output)
            }
        }
    }

    /// Returns a path without `.`, `..` and repeated slashes. Links are not resolved.
    private static func absolute(_ path: String, in directory: String) -> String {
        var components: [Substring] = []
        for component in (path.hasPrefix("/") ? path : "\(directory)/\(path)").split(separator: "/") {
            switch component {
            case ".": break
            case "..": _ = components.popLast()
            default: components.append(component)
            }
        }
        return "/" + components.joined(separator: "/")
    }
}

/// The name of an input: that of a file as it is, that of a URL made safe. Only the extension of an image format is one:
/// the stem of `photo.2024` is all of it.
struct InputName: Equatable, Sendable {
    let name: String
    let stem: String
    private let ending: String

    init(_ source: String) {
        let isPath = SourceArgument(argument: source).path != nil && !source.isEmpty && source != "-"
        let last = source.split(separator: "/").last.map(String.init) ?? source
        if isPath, !source.lowercased().hasPrefix("file:") {
            name = last
        } else {
            let safe = OutputName(for: source == "-" ? "stdin" : source, format: ImageFormat(rawValue: ""))
            name = safe.fileExtension.isEmpty ? safe.stem : "\(safe.stem).\(safe.fileExtension)"
        }
        if let dot = name.lastIndex(of: "."), dot != name.startIndex,
            case let ending = String(name[name.index(after: dot)...]), ImageFormat(fileExtension: ending) != nil
        {
            (stem, self.ending) = (String(name[..<dot]), ending)
        } else {
            (stem, ending) = (name, "")
        }
    }

    /// The format that the name states.
    var format: ImageFormat? { ImageFormat(fileExtension: ending) }

    /// Returns the extension of an output of a format: that of the input if it stands for the same format.
    func fileExtension(for format: ImageFormat) -> String { format == self.format ? ending : format.fileExtension }
}
