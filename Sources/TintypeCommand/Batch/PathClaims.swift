import Foundation
import Tintype

/// The paths of a batch's outputs, each of which belongs to one image. They are compared as absolute paths.
struct PathClaims: Sendable {
    /// Why an image cannot have a path.
    enum Conflict: Error, Equatable {
        /// It is the path of another image's output.
        case output(BatchInput)
        /// It is the path of another input, which may still be read.
        case input(BatchInput)
    }

    private let directory: String
    private var inputs: [String: BatchInput] = [:]
    private var outputs: [String: BatchInput] = [:]

    /// - Parameters:
    ///   - inputs: The images of the batch, whose files must not be replaced by the outputs of others. Inputs with a
    ///     problem are no files that an output could replace: the escaped form of a name is the path of another file.
    ///   - directory: The current directory.
    init(protecting inputs: [BatchInput], in directory: String = FileManager.default.currentDirectoryPath) {
        self.directory = directory
        for input in inputs where input.problem == nil {
            if let path = input.source.path { self.inputs[Self.absolute(path, in: directory)] = input }
        }
    }

    /// Assigns a path to an image. Has no effect if the image has the path already.
    ///
    /// - Throws: ``Conflict`` if the path belongs to another image.
    mutating func claim(_ path: String, for input: BatchInput) throws(Conflict) {
        let path = Self.absolute(path, in: directory)
        if let other = inputs[path], other != input { throw .input(other) }
        if let other = outputs[path], other != input { throw .output(other) }
        outputs[path] = input
    }

    /// Returns a path without `.`, `..` and repeated slashes. Links are not resolved.
    static func absolute(_ path: String, in directory: String) -> String {
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

extension PathClaims.Conflict {
    /// Returns the error of an image that cannot be written.
    func error(at path: String) -> TintypeError {
        switch self {
        case .output(let other):
            TintypeError(.unwritable, stage: .store, "the output of \(other.name) has the same path", subject: path)
        case .input(let other):
            TintypeError(.unwritable, stage: .store, "the path is that of the input \(other.name)", subject: path)
        }
    }
}

/// The claims of paths, shared by concurrent work. A class, because a struct cannot hold a lock and be copied into
/// tasks.
final class SharedClaims: Sendable {
    private let claims: Locked<PathClaims>

    init(_ claims: PathClaims) {
        self.claims = Locked(claims)
    }

    /// - Throws: `TintypeError.Code.unwritable` if the path belongs to another image.
    func claim(_ path: String, for input: BatchInput) throws(TintypeError) {
        let conflict = claims.withLock { claims -> PathClaims.Conflict? in
            do throws(PathClaims.Conflict) {
                try claims.claim(path, for: input)
                return nil
            } catch {
                return error
            }
        }
        if let conflict { throw conflict.error(at: path) }
    }
}
