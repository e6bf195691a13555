import Foundation
import Tintype

/// Where `fetch` writes the original bytes of images.
enum FetchOutput: Equatable, Sendable {
    case standardOutput
    /// A directory. Equal names get numbers.
    case directory(String)
    /// A path for each image. Equal paths are refused.
    case template(OutputTemplate)

    /// - Parameters:
    ///   - text: `-`, a directory, or a template, which is a path with at least one field.
    ///   - isDirectory: Whether the path is that of an existing directory.
    init(_ text: String, isDirectory: Bool) throws(OutputTemplate.ParsingError) {
        guard text != "-" else {
            self = .standardOutput
            return
        }
        let template = isDirectory ? nil : try OutputTemplate(parsing: text)
        guard let template, !template.fields.isEmpty else {
            self = .directory(text)
            return
        }
        self = .template(template)
    }

    /// The directory to create before anything is loaded.
    var directory: String? {
        guard case .directory(let path) = self else { return nil }
        return path
    }
}

/// The paths of fetched images. Those that do not depend on the image are decided first, in the order of the list, so that
/// they are the same in every run.
struct FetchPaths: Sendable {
    private let output: FetchOutput
    /// The number of each input, from 1, with leading zeros.
    private var indices: [SourceArgument: String] = [:]
    private var names = OutputNames()
    /// The paths that are known before their images are loaded.
    private var known: [SourceArgument: String] = [:]
    private var inputOfPath: [String: BatchInput] = [:]

    /// - Parameter inputs: The images. One that is named several times counts once.
    /// - Throws: ``OutputPlan/Problem`` if two images have one path, or several go to standard output.
    init(_ inputs: [BatchInput], to output: FetchOutput) throws(OutputPlan.Problem) {
        self.output = output
        var unique: [BatchInput] = []
        for input in inputs where indices.updateValue("", forKey: input.source) == nil { unique.append(input) }
        guard output != .standardOutput || unique.count < 2 else { throw .severalForStandardOutput }
        let digits = String(unique.count).count
        for (number, input) in unique.enumerated() {
            indices[input.source] = OutputFields.index(number + 1, digits: digits)
            guard let path = try claimPath(of: input) else { continue }
            known[input.source] = path
        }
    }

    /// Returns the path of an image, or `nil` if it is not known before the image is loaded, or the image goes to standard
    /// output.
    func path(of input: BatchInput) -> String? { known[input.source] }

    /// Returns the path of a loaded image, which is its own from now on; `nil` for standard output.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if another image has the path.
    mutating func claimPath(
        of input: BatchInput, _ format: ImageFormat, _ size: PixelSize
    ) throws(TintypeError) -> String? {
        if let path = known[input.source] { return path }
        switch output {
        case .standardOutput: return nil
        case .directory(let directory):
            let path = Self.path(names.next(OutputName(for: input.source.text, format: format)), in: directory)
            known[input.source] = path
            return path
        case .template(let template):
            var fields = fields(of: input, format)
            fields.size = size
            let path = template.path(fields)
            guard let other = inputOfPath.updateValue(input, forKey: path) else { return path }
            inputOfPath[path] = other
            throw TintypeError(
                .unwritable, stage: .store, "the output of \(other.name) has the same path", subject: path)
        }
    }

    /// Claims the path of an image that is not loaded yet, if it is known.
    private mutating func claimPath(of input: BatchInput) throws(OutputPlan.Problem) -> String? {
        switch output {
        case .standardOutput: return nil
        case .directory(let directory):
            // Otherwise the format of the image decides on the extension.
            guard InputName(input.source.text).format != nil else { return nil }
            return Self.path(names.next(OutputName(for: input.source.text, format: .jpeg)), in: directory)
        case .template(let template):
            guard template.fields.isDisjoint(with: [.ext, .format, .width, .height]) else { return nil }
            let path = template.path(fields(of: input, .jpeg))
            if let other = inputOfPath.updateValue(input, forKey: path) {
                throw .collision(other.name, input.name, output: path)
            }
            return path
        }
    }

    private func fields(of input: BatchInput, _ format: ImageFormat) -> OutputFields {
        let name = InputName(input.source.text)
        return OutputFields(
            stem: name.stem, name: name.name, fileExtension: name.fileExtension(for: format), format: format,
            directory: input.directory, index: indices[input.source] ?? "")
    }

    private static func path(_ name: String, in directory: String) -> String { "\(directory)/\(name)" }
}
