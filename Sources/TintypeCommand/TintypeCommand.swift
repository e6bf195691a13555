import ArgumentParser
import Foundation
import Logging
import Tintype

/// The `tintype` command: loads, inspects, converts and caches images from a shell.
@main
struct TintypeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tintype",
        abstract: "Load, inspect, convert and cache images.",
        discussion: """
            A source is an http, https, file or data URL, or the path of a file. The exit status is 0 if everything \
            succeeded, 1 if something failed, and 64 for a usage error. Each failure is one line on standard error.
            """,
        version: "0.1.0",
        subcommands: [Fetch.self, Prefetch.self, Info.self, Convert.self, Cache.self, Demo.self])

    static func main() async {
        ignoreBrokenPipes()
        logToStandardError()
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

    /// Makes a write to a closed pipe, such as one to `head`, fail with `EPIPE` instead of killing the process.
    private static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
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
