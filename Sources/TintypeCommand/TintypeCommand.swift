import ArgumentParser
import Foundation
import Logging
import Tintype

/// The `tintype` command: loads, inspects, converts and caches images from a shell.
@main
struct TintypeCommand: AsyncParsableCommand {
    /// Each command states its name. The parser needs all names at startup, and would search all conformances of the
    /// program to derive a name from a type.
    static let configuration = CommandConfiguration(
        commandName: "tintype",
        abstract: "Load, inspect, convert and cache images.",
        discussion: """
            A source is an http, https, file or data URL, or the path of a file. The exit status is 0 if everything \
            succeeded, 64 for a usage error, and 130 after an interruption. After failures, fetch, prefetch, info, \
            convert and show exit with the number of failures, at most 125; the other subcommands exit with 1. \
            Each failure is one line on standard error. --help lists the common options of a subcommand, --help-all \
            lists all options.
            """,
        version: ProductVersion.current,
        subcommands: [
            Fetch.self, Prefetch.self, Info.self, Convert.self, Compare.self, Show.self, Cache.self, Doctor.self,
            Demo.self, ImageURLs.self, Serve.self,
        ])

    static func main() async {
        StandardStream.reserveClosedDescriptors()
        ignoreSignalsOfWrites()
        logToStandardError()
        do {
            try checkArguments()
            let arguments = Array(CommandLine.arguments.dropFirst())
            StandardStream.chooseColors(ColorChoice(in: arguments))
            HelpDetail.choose(for: arguments)
            var command = try parseAsRoot(SourceOperand.joined(helpArguments(arguments)))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Returns the arguments with the argument parser's name for `--help-all`.
    static func helpArguments(_ arguments: [String]) -> [String] {
        let options = arguments.prefix { $0 != "--" }
        return options.map { $0 == "--help-all" ? "--help-hidden" : $0 } + arguments.dropFirst(options.count)
    }

    /// Refuses arguments that are not UTF-8. The text that Swift makes of them would name another file.
    private static func checkArguments() throws {
        for number in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[number], String(validatingCString: argument) == nil else {
                continue
            }
            let text = String(escapingCString: argument).abbreviated(to: 400)
            throw ValidationError("argument \(number) is not valid UTF-8: \(text)")
        }
    }

    /// Reports an error, or the help that was asked for, and ends the process.
    private static func end(with error: any Error) -> Never {
        if let failure = error as? CommandFailure { end(with: failure.error, failure.hint) }
        do throws(TintypeError) {
            if let error = error as? TintypeError { throw error }
            let (status, message) = (exitCode(for: error), fullMessage(for: error))
            if status == .success {
                // The help, or a script with tabs.
                if !message.isEmpty { try StandardOutput.write(raw: message + "\n") }
            } else if !message.isEmpty {
                // The message quotes arguments, and has several lines.
                for line in message.split(separator: "\n", omittingEmptySubsequences: false) {
                    StandardError.write(String(line))
                }
            }
            Foundation.exit(status.rawValue)
        } catch {
            end(with: error, FailureHint())
        }
    }

    private static func end(with error: TintypeError, _ hint: FailureHint) -> Never {
        guard error.code != .cancelled else {
            StandardError.write("tintype: interrupted", style: .warning)
            Foundation.exit(Interruption.exitStatus)
        }
        StandardError.write("tintype: \(hint.description(error))")
        Foundation.exit(ExitCode.failure.rawValue)
    }

    /// Makes writes that cannot succeed fail with an error instead of killing the process: those to a closed pipe, such
    /// as one to `head`, and those beyond the size that the shell allows for files.
    private static func ignoreSignalsOfWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Sends the library's error logs to standard error.
    ///
    /// Warnings are dropped because the command reports their causes itself: failed loads one by one, and failed cache
    /// writes when it flushes the cache.
    private static func logToStandardError() {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .error
            return handler
        }
    }
}

/// How much the help of a subcommand says.
enum HelpDetail: Sendable {
    /// The common options, on one screen.
    case common
    /// All options and examples: `--help-all`, the manual page and completions.
    case all

    private static let chosen = Locked(HelpDetail.common)

    /// The detail of the help of this process.
    static var current: HelpDetail { chosen.withLock { $0 } }

    /// Returns the detail that arguments ask for.
    init(_ arguments: some Sequence<String>) {
        let full = ["--help-all", "--experimental-dump-help", "--generate-completion-script"]
        let options = arguments.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
        self = options.contains { full.contains(String($0)) } ? .all : .common
    }

    /// Decides on the help. Called before arguments are parsed, because the parser reads the configuration of
    /// subcommands.
    static func choose(for arguments: [String]) {
        chosen.withLock { $0 = HelpDetail(arguments) }
    }
}

extension ArgumentVisibility {
    /// The visibility of options that the help of ``HelpDetail/common`` leaves out.
    static var rare: ArgumentVisibility {
        switch HelpDetail.current {
        case .common: .hidden
        case .all: .default
        }
    }
}
