import ArgumentParser
import Tintype

/// Which pictures: named one by one, or in a list.
struct SourceOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("URLs, or paths of files.", valueName: "url"))
    var urls: [SourceArgument] = []

    @Option(
        help: ArgumentHelp(
            "A file with a URL on each line; - is standard input. Lines that begin with # do not count.",
            valueName: "file"))
    var from: String?

    func validate() throws {
        guard !urls.isEmpty || from != nil else { throw ValidationError("Name a URL, or a list of them with --from.") }
    }

    /// - Throws: ``TintypeError/Code/notFound`` or ``TintypeError/Code/unreadable``.
    func all() throws(TintypeError) -> [SourceArgument] {
        guard let from else { return urls }
        return urls + (try URLList.read(from))
    }
}
