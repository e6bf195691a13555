import ArgumentParser
import Tintype

/// `tintype`: the library at a shell.
@main
struct TintypeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tintype",
        abstract: "Fetches, inspects, converts and caches pictures.",
        discussion: """
            A SOURCE is an http, https, file or data URL, or the path of a file. \
            The exit status is 0 only when everything that was asked for was done; \
            each failure is one line on standard error.
            """,
        version: "0.1.0",
        subcommands: [Fetch.self, Prefetch.self, Info.self, Convert.self, Cache.self, Demo.self])

    static func main() async {
        // A reader that goes away, such as `head`, is told by the failing write.
        SignalHandling.ignoreBrokenPipes()
        Logs.toStandardError()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as TintypeError {
            StandardError.write("tintype: \(error)")
            exit(withError: ExitCode.failure)
        } catch {
            exit(withError: error)
        }
    }
}
