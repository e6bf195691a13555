import ArgumentParser
import Foundation
import Tintype

/// `tintype serve`: runs `tintype-server` in place of this process.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run tintype-server, the image server, if it is installed.",
        discussion: """
            Runs the program tintype-server beside tintype, else the first one in PATH, in place of this process. Its \
            settings are environment variables, which --settings lists.

            Examples:
              TINTYPE_KEY=736563726574 TINTYPE_SALT=68656c6c6f tintype serve
              TINTYPE_ALLOWED_SOURCES=https://a.example/ tintype serve --unsigned
            """)

    @Flag(help: "Accept URLs without a signature, on the loopback address.")
    var unsigned = false
    @Flag(help: "Print the settings of the server as a table in Markdown.")
    var settings = false

    func run() throws {
        let programs = ServerProgramSearch(
            command: Bundle.main.executableURL?.resolvingSymlinksInPath(),
            searchPath: ProcessInfo.processInfo.environment["PATH"])
        guard let program = programs.first(where: { access($0, X_OK) == 0 }) else {
            StandardError.write("tintype: \(programs.failure)")
            throw ExitCode(Self.unavailable)
        }
        let number = Self.replaceProcess(program, arguments)
        StandardError.write("tintype: cannot run \(program): \(String(cString: strerror(number)))")
        throw ExitCode(Self.unavailable)
    }

    /// The arguments of the server.
    var arguments: [String] { (unsigned ? ["--unsigned"] : []) + (settings ? ["--settings"] : []) }

    /// `EX_UNAVAILABLE` (sysexits(3)).
    private static let unavailable: Int32 = 69

    /// Returns the number of the error; does not return if the program runs.
    private static func replaceProcess(_ program: String, _ arguments: [String]) -> Int32 {
        // Ignored signals stay ignored in the new program (execve(2)), but its defaults are its own.
        signal(SIGPIPE, SIG_DFL)
        signal(SIGXFSZ, SIG_DFL)
        var texts = ([program] + arguments).map { strdup($0) }
        texts.append(nil)
        execv(program, texts)
        let number = errno
        for text in texts { free(text) }
        return number
    }
}

/// Where `tintype-server` can be.
struct ServerProgramSearch {
    private static let name = "tintype-server"

    /// The paths, the best one first.
    let paths: [String]
    private let folder: String?

    /// - Parameters:
    ///   - command: The program of this process.
    ///   - searchPath: The value of `PATH`. Its relative parts are not searched, because they name other programs in
    ///     other folders.
    init(command: URL?, searchPath: String?) {
        folder = command?.deletingLastPathComponent().path(percentEncoded: false)
        let folders = [folder].compactMap(\.self) + (searchPath ?? "").split(separator: ":").map(String.init)
        paths = folders.filter { $0.hasPrefix("/") }.map { $0.hasSuffix("/") ? $0 + Self.name : "\($0)/\(Self.name)" }
    }

    func first(where isExecutable: (String) -> Bool) -> String? { paths.first(where: isExecutable) }

    /// The message for a machine without the server.
    var failure: String {
        "tintype-server is not installed: it is neither in \(folder ?? "the folder of tintype") nor in PATH; build it with: "
            + "swift build -c release --traits Server --product tintype-server"
    }
}
