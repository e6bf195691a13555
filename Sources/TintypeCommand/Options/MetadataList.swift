import ArgumentParser
import Tintype

/// The kinds of metadata that `--keep` names.
struct MetadataList: Sendable, Equatable {
    let kinds: Set<MetadataKind>

    /// Parses names with commas between them.
    static func parsing(_ text: String) throws -> MetadataList {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        var kinds: Set<MetadataKind> = []
        for name in names {
            guard let kind = MetadataKind(rawValue: name) else {
                let known = MetadataKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("expected kinds of metadata (\(known)) with commas, got '\(text)'")
            }
            kinds.insert(kind)
        }
        return MetadataList(kinds: kinds)
    }

    /// Checks that all outputs can have these metadata.
    func validate(for formats: [ImageFormat]) throws {
        for format in Set(formats).sorted(by: { $0.rawValue < $1.rawValue }) {
            let missing = kinds.subtracting(ImageMetadata.writableKinds(for: format))
            guard !missing.isEmpty else { continue }
            let suitable = ImageMetadata.writableFormats.filter {
                ImageMetadata.writableKinds(for: $0).isSuperset(of: kinds)
            }
            throw ValidationError(
                "--keep: \(format) images are written without \(Self.list(missing.map(\.rawValue))); "
                    + "choose one of \(Self.list(suitable.map(\.rawValue)))")
        }
    }

    private static func list(_ names: [String]) -> String { names.sorted().joined(separator: ", ") }
}
