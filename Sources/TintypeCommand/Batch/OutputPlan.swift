import Foundation
import Tintype

/// Where a batch writes its outputs.
enum OutputTarget: Equatable, Sendable {
    case standardOutput
    case template(OutputTemplate)

    /// Whether a text can only be the name of a directory if it stands for several outputs: it has neither a field nor
    /// the extension of an image.
    static func isPlain(_ text: String) -> Bool {
        text != "-" && !text.contains("{") && ImageFormat(fileExtension: URL(filePath: text).pathExtension) == nil
    }

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
        /// An output would replace the input of another image, which may still be read. An image may replace itself.
        case replacesInput(String, output: String)
        /// Several images for standard output.
        case severalForStandardOutput
        /// Neither the template nor any of the inputs names a format that can be written.
        case unknownFormat(String)
        /// The format that was chosen cannot be written.
        case unwritableFormat(String)
    }

    /// An image that cannot be converted.
    struct Failure: Sendable {
        let input: BatchInput
        let error: TintypeError
    }

    /// The format of all outputs, or `nil` if each output has the format of its input.
    let chosenFormat: ImageFormat?
    private(set) var entries: [Entry]
    /// The inputs without an output: directories that cannot be listed, and images of a format that cannot be written,
    /// or not with the colours that the user wants.
    private(set) var failures: [Failure]
    /// The paths that the entries may write. Paths that are known in advance are already claimed.
    let claims: PathClaims

    /// The number of inputs.
    var count: Int { entries.count + failures.count }

    /// - Parameters:
    ///   - inputs: The images. One that is named several times counts once.
    ///   - format: The format that the user chose, or `nil` to take it from the output's extension, otherwise the
    ///     input's.
    ///   - writable: The formats that can be written.
    ///   - directory: The current directory, to compare relative paths with absolute ones.
    /// - Throws: ``Problem``; ``Problem/unknownFormat(_:)`` only if no input has a format that can be written.
    init(
        _ inputs: [BatchInput], to target: OutputTarget, as format: ImageFormat?, writable: Set<ImageFormat>,
        directory: String
    ) throws(Problem) {
        let inputs = inputs.distinct
        guard target != .standardOutput || inputs.count < 2 else { throw .severalForStandardOutput }
        let chosen = try Self.chosenFormat(target, format, writable)
        let digits = String(inputs.count).count
        var entries: [Entry] = []
        var failures: [Failure] = []
        for (number, input) in inputs.enumerated() {
            let name = InputName(input.source.text)
            guard input.failure == nil, let format = chosen.format(for: name, writable) else {
                failures.append(Failure(input: input, error: input.failure ?? Self.unknownFormat))
                continue
            }
            let fields = OutputFields(
                stem: name.stem, name: name.name, fileExtension: name.fileExtension(for: format), format: format,
                directory: input.directory, index: OutputFields.index(number + 1, digits: digits))
            entries.append(Entry(input: input, format: format, target: target, fields: fields))
        }
        if entries.isEmpty, let input = inputs.first(where: { $0.failure == nil }) { throw .unknownFormat(input.name) }
        (self.entries, self.failures, chosenFormat) = (entries, failures, chosen.format)
        claims = try Self.claims(of: entries, protecting: inputs, in: directory)
    }

    /// The format of the outputs, as far as it does not depend on the input.
    private enum ChosenFormat {
        case format(ImageFormat)
        /// The format of the input.
        case ofInput
        /// The template has an extension that names no image format.
        case unknown

        /// `nil` if it depends on the input, or is unknown.
        var format: ImageFormat? {
            guard case .format(let format) = self else { return nil }
            return format
        }

        func format(for input: InputName, _ writable: Set<ImageFormat>) -> ImageFormat? {
            switch self {
            case .format(let format): format
            case .ofInput: input.format.flatMap { writable.contains($0) ? $0 : nil }
            case .unknown: nil
            }
        }
    }

    private static func chosenFormat(
        _ target: OutputTarget, _ format: ImageFormat?, _ writable: Set<ImageFormat>
    ) throws(Problem) -> ChosenFormat {
        var named: String?
        if case .template(let template) = target { named = template.fileExtension }
        guard let format = format ?? named.flatMap(ImageFormat.init(fileExtension:)) else {
            return named == nil ? .ofInput : .unknown
        }
        guard writable.contains(format) else { throw .unwritableFormat(format.rawValue) }
        return .format(format)
    }

    /// Returns the plan without the outputs of some formats, which are failures.
    ///
    /// - Parameter problem: Returns the reason why a format cannot be written as the user wants; `nil` if it can.
    func refusing(_ problem: (ImageFormat) -> String?) -> OutputPlan {
        var plan = self
        plan.entries = []
        for entry in entries {
            guard let problem = problem(entry.format) else {
                plan.entries.append(entry)
                continue
            }
            plan.failures.append(Failure(input: entry.input, error: TintypeError(.noCoder, stage: .encode, problem)))
        }
        return plan
    }

    private static let unknownFormat = TintypeError(
        .noCoder, stage: .encode, "the name states no format that can be written; choose one by --format")

    /// Claims the paths of all outputs. Fields that are not known yet count as equal.
    private static func claims(
        of entries: [Entry], protecting inputs: [BatchInput], in directory: String
    ) throws(Problem) -> PathClaims {
        var claims = PathClaims(protecting: inputs, in: directory)
        for entry in entries {
            guard let output = entry.path() else { continue }
            do throws(PathClaims.Conflict) {
                try claims.claim(output, for: entry.input)
            } catch {
                throw Problem(error, entry.input, output: output)
            }
        }
        return claims
    }
}

extension OutputPlan.Problem {
    init(_ conflict: PathClaims.Conflict, _ input: BatchInput, output: String) {
        switch conflict {
        case .output(let other): self = .collision(other.name, input.name, output: output)
        case .input: self = .replacesInput(input.name, output: output)
        }
    }
}

/// The name of an input: the name of a file unchanged, or that of a URL made safe. Only the extension of an image
/// format counts as an extension: the stem of `photo.2024` is the whole name.
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
        (stem, ending) = FileName.split(name) ?? (name, "")
    }

    /// The format that the name states.
    var format: ImageFormat? { ImageFormat(fileExtension: ending) }

    /// Returns the extension of an output of a format: that of the input if it stands for the same format.
    func fileExtension(for format: ImageFormat) -> String { format == self.format ? ending : format.fileExtension }
}
