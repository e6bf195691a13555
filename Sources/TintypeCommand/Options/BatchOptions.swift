import ArgumentParser
import Foundation
import Tintype

/// Further inputs of a command that takes many: directories, patterns and lists.
struct InputOptions: ParsableArguments {
    @Flag(help: "Include the images in directories and their subdirectories; files are recognized by their extensions.")
    var recursive = false

    @OptionGroup var list: ListOptions

    var from: PathArgument? { list.from }

    /// Returns the inputs that arguments and the list name.
    ///
    /// - Throws: The errors of ``ListOptions/appended(to:)``; `TintypeError.Code.invalidSource` if standard input
    ///   would be read twice.
    func inputs(_ arguments: [SourceArgument]) throws(TintypeError) -> [BatchInput] {
        let all = try list.appended(to: arguments)
        guard StandardInputUse(all, list: from?.path).isPossible else {
            throw TintypeError(.invalidSource, stage: .request, StandardInputUse.explanation, subject: "-")
        }
        return InputFinder(isRecursive: recursive).inputs(all)
    }

    /// - Throws: `ValidationError` if there is no input, or standard input would be read twice.
    func validate(_ arguments: [SourceArgument], expecting noun: String) throws {
        try list.validate(arguments, expecting: noun)
        guard StandardInputUse(arguments, list: from?.path).isPossible else {
            throw ValidationError("-: \(StandardInputUse.explanation)")
        }
    }
}

/// How often standard input would be read: as an image, and as a list. It can be read once.
struct StandardInputUse {
    let isPossible: Bool

    /// The reason why it is not possible.
    static let explanation = "standard input can be read only once, as a list or as one image"

    /// - Parameter list: The path of the list; `-` for standard input.
    init(_ sources: [SourceArgument], list: String? = nil) {
        isPossible = sources.count(where: \.isStandardInput) + (list == "-" ? 1 : 0) < 2
    }
}

/// How many images a command works on at once.
struct JobOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Work on this many images at once. (default: the number of cores plus 2)", valueName: "n"))
    var jobs: Int?

    func validate() throws {
        if let jobs { try validate(jobs, in: 1...1000, for: "--jobs") }
    }

    /// While the cores decode and encode, two more images are read and written.
    var width: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount + 2 }
}

/// The handling of an output that exists.
enum ExistingOutput: String, EnumerableFlag {
    case skipExisting
    case overwrite

    static func help(for value: ExistingOutput) -> ArgumentHelp? {
        switch value {
        case .skipExisting:
            "Keep outputs that exist. Their inputs are read only if the output's name contains the size of the image."
        case .overwrite: "Replace outputs that exist. Otherwise, with several inputs, such an output is a failure."
        }
    }
}
