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

    /// Checks that all outputs can have metadata.
    func validate(for formats: [ImageFormat]) throws {
        guard let format = formats.first(where: { !ImageMetadata.writableFormats.contains($0) }) else { return }
        let known = ImageMetadata.writableFormats.map(\.rawValue).sorted().joined(separator: ", ")
        throw ValidationError("--keep: \(format) images are written without metadata; choose one of \(known)")
    }
}
