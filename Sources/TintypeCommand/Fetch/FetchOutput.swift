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

/// The paths of fetched images. Those that do not depend on the image are decided first, in the order of the list, so
/// that they are the same in every run.
struct FetchPaths: Sendable {
    private let output: FetchOutput
    /// The number of each input, from 1, with leading zeros.
    private var indices: [SourceArgument: String] = [:]
    private var names = OutputNames()
    /// The paths that are known before their images are loaded.
    private var known: [SourceArgument: String] = [:]
    private var claims: PathClaims

    /// - Parameters:
    ///   - inputs: The images. One that is named several times counts once.
    ///   - current: The current directory.
    /// - Throws: ``OutputPlan/Problem`` if two images have one path, a path is that of another image, or several go to
    ///   standard output.
    init(
        _ inputs: [BatchInput], to output: FetchOutput, in current: String = FileManager.default.currentDirectoryPath
    ) throws(OutputPlan.Problem) {
        self.output = output
        claims = PathClaims(protecting: inputs, in: current)
        let unique = inputs.distinct
        guard output != .standardOutput || unique.count < 2 else { throw .severalForStandardOutput }
        let digits = String(unique.count).count
        for (number, input) in unique.enumerated() where input.problem == nil {
            indices[input.source] = OutputFields.index(number + 1, digits: digits)
            guard let path = knownPath(of: input) else { continue }
            do throws(PathClaims.Conflict) {
                try claims.claim(path, for: input)
            } catch {
                throw OutputPlan.Problem(error, input, output: path)
            }
            known[input.source] = path
        }
    }

    /// Returns the path of an image, or `nil` if it is not known before the image is loaded, or the image goes to
    /// standard output.
    func path(of input: BatchInput) -> String? { known[input.source] }

    /// Returns the path of a loaded image, which is its own from now on; `nil` for standard output.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if the path belongs to another image.
    mutating func claimPath(
        of input: BatchInput, _ format: ImageFormat, _ size: PixelSize
    ) throws(TintypeError) -> String? {
        if let path = known[input.source] { return path }
        guard let path = path(of: input, format, size) else { return nil }
        do throws(PathClaims.Conflict) { try claims.claim(path, for: input) } catch { throw error.error(at: path) }
        known[input.source] = path
        return path
    }

    private mutating func path(of input: BatchInput, _ format: ImageFormat, _ size: PixelSize) -> String? {
        switch output {
        case .standardOutput: return nil
        case .directory(let directory): return path(OutputName(for: input.source, format: format), in: directory)
        case .template(let template):
            var fields = fields(of: input, format)
            fields.size = size
            return template.path(fields)
        }
    }

    /// Returns the path of an image that is not loaded yet, if it does not depend on the image.
    private mutating func knownPath(of input: BatchInput) -> String? {
        switch output {
        case .standardOutput: return nil
        case .directory(let directory):
            // Otherwise the format of the image decides on the extension.
            guard let format = InputName(input.source.text).format else { return nil }
            return path(OutputName(for: input.source, format: format), in: directory)
        case .template(let template):
            guard template.fields.isDisjoint(with: [.ext, .format, .width, .height]) else { return nil }
            // No field of this template depends on the format.
            return template.path(fields(of: input, ImageFormat(rawValue: "")))
        }
    }

    private func fields(of input: BatchInput, _ format: ImageFormat) -> OutputFields {
        let name = InputName(input.source.text)
        return OutputFields(
            stem: name.stem, name: name.name, fileExtension: name.fileExtension(for: format), format: format,
            directory: input.directory, index: indices[input.source] ?? "")
    }

    private mutating func path(_ name: OutputName, in directory: String) -> String {
        "\(directory)/\(names.next(name))"
    }
}
