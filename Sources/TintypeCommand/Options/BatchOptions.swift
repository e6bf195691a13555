import ArgumentParser
import Foundation
import Tintype

/// Further inputs of a command that takes many: directories, patterns and lists.
struct InputOptions: ParsableArguments {
    @Flag(help: "Take the images in directories and below them. The format is known by the extension.")
    var recursive = false

    @Option(
        help: ArgumentHelp(
            "Read inputs from this file, one per line; - is standard input. Lines that start with # are ignored.",
            valueName: "file"),
        transform: PathArgument.parsing(expecting: PathArgument.expectation))
    var from: PathArgument?

    /// Returns the inputs that arguments and the list name.
    ///
    /// - Throws: ``TintypeError/Code/notFound`` or ``TintypeError/Code/unreadable``.
    func inputs(_ arguments: [SourceArgument]) throws(TintypeError) -> [BatchInput] {
        var all = arguments
        if let from { all += try URLList.read(from.path) }
        return try InputFinder(isRecursive: recursive).inputs(all)
    }

    /// - Throws: `ValidationError` if standard input would be read twice.
    func validate(_ arguments: [SourceArgument]) throws {
        guard from?.path == "-", arguments.contains(where: \.isStandardInput) else { return }
        throw ValidationError("--from - and the input - both read standard input; give one of them")
    }
}

/// How many images a command works on at once.
struct JobOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Work on this many images at once. (default: the cores and 2)", valueName: "n"))
    var jobs: Int?

    func validate() throws {
        if let jobs { try validate(jobs, in: 1...1000, for: "--jobs") }
    }

    /// While the cores decode and encode, two more images are read and written.
    var width: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount + 2 }
}

/// What happens to an output that exists.
enum ExistingOutput: String, EnumerableFlag {
    case skipExisting
    case overwrite

    static func help(for value: ExistingOutput) -> ArgumentHelp? {
        switch value {
        case .skipExisting: "Leave outputs that exist, and do not read their inputs."
        case .overwrite: "Replace outputs that exist. Otherwise they are failures, unless there is one input."
        }
    }
}
