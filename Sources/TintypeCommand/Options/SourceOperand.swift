import ArgumentParser

/// One or several sources of a command line.
///
/// The argument parser takes a time that grows with the square of the number of operands: 8,000 files took two seconds.
/// So a long run of operands is joined to one argument before it is parsed, and divided here.
struct SourceOperand: ExpressibleByArgument {
    let sources: [SourceArgument]

    init(argument: String) {
        guard argument.utf8.first == Self.mark else {
            sources = [SourceArgument(argument: argument)]
            return
        }
        sources = argument.utf8.dropFirst().split(separator: Self.mark, omittingEmptySubsequences: false).map {
            SourceArgument(argument: String(Substring($0)))
        }
    }

    /// Comes before each joined operand. No argument of a process contains it.
    private static let mark: UInt8 = 0

    /// The shortest run of operands that is joined.
    private static let longRun = 64

    /// The commands whose operands are sources.
    private static let commands: Set<String> = ["convert", "fetch", "info", "prefetch", "show"]

    /// Returns the arguments of the process with long runs of operands joined.
    ///
    /// The first argument after an option stays as it is, because it may be the value of that option.
    static func joined(_ arguments: [String]) -> [String] {
        guard arguments.count > longRun, let command = arguments.first, commands.contains(command) else {
            return arguments
        }
        return arguments.split(omittingEmptySubsequences: false, whereSeparator: isOption).reduce(into: []) {
            all, run in
            if run.startIndex > 0 { all.append(arguments[run.startIndex - 1]) }
            guard run.count > longRun else { return all.append(contentsOf: run) }
            all.append(arguments[run.startIndex])
            all.append(run.dropFirst().map { "\0\($0)" }.joined())
        }
    }

    private static func isOption(_ argument: String) -> Bool {
        argument.utf8.first == UInt8(ascii: "-") && argument != "-"
    }
}

extension [SourceOperand] {
    /// The sources in the order of the command line.
    var sources: [SourceArgument] { flatMap(\.sources) }
}
