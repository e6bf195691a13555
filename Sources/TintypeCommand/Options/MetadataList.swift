import ArgumentParser
import Tintype

/// The kinds of metadata that `--keep` names.
struct MetadataList: Sendable, Equatable {
    let kinds: Set<MetadataKind>

    /// Parses a comma-separated list of names.
    static func parsing(_ text: String) throws -> MetadataList {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        var kinds: Set<MetadataKind> = []
        for name in names {
            guard let kind = MetadataKind(rawValue: name) else {
                let known = MetadataKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("expected a comma-separated list of metadata kinds (\(known)), got '\(text)'")
            }
            kinds.insert(kind)
        }
        return MetadataList(kinds: kinds)
    }

    /// Checks that the format that the user chose can have these metadata.
    func validate(for format: ImageFormat) throws {
        let missing = kinds.subtracting(ImageMetadata.writableKinds(for: format))
        guard !missing.isEmpty else { return }
        let suitable = ImageMetadata.writableFormats.filter {
            ImageMetadata.writableKinds(for: $0).isSuperset(of: kinds)
        }
        let names = Self.list(missing.map(\.rawValue))
        throw ValidationError(
            "--keep: \(format) images are written without \(names); remove \(names) from --keep, or choose one of "
                + Self.list(suitable.map(\.rawValue)))
    }

    static func list(_ names: [String]) -> String { names.sorted().joined(separator: ", ") }
}
