import ArgumentParser
import Foundation
import Tintype
import TintypeServer

/// `tintype url`: signs, verifies and explains URLs of the image server.
struct ImageURLs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Sign, verify and explain URLs of tintype-server.",
        discussion: """
            The settings are those of the server: environment variables such as TINTYPE_KEY and TINTYPE_SALT, or \
            TINTYPE_KEY_FILE. There is no option for a key, because other users of the machine can read options.

            Examples:
              tintype url sign https://example.org/a.jpg rs:fill:300:200 q:80 --format webp
              tintype url verify /SIGNATURE/w:300/plain/https://example.org/a.jpg
              tintype url explain /SIGNATURE/w:300/plain/https://example.org/a.jpg
            """,
        subcommands: [Sign.self, Verify.self, Explain.self])

    /// Reads the settings of the server.
    fileprivate static func tool() throws -> ImageURLTool {
        do {
            return try ImageURLTool(environment: ProcessInfo.processInfo.environment) { path in
                try? String(contentsOfFile: path, encoding: .utf8)
            }
        } catch {
            throw ValidationError("\(error)")
        }
    }
}

extension ImageURLs {
    /// `tintype url sign`.
    struct Sign: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign", abstract: "Print the signed path of an image.")

        @Argument(help: ArgumentHelp("The URL of the source: http, https, s3 or local.", valueName: "source"))
        var source: String

        @Argument(help: ArgumentHelp("Options of the server, such as rs:fill:300:200.", valueName: "option"))
        var options: [String] = []

        @Option(
            help: ArgumentHelp(
                "The format of the image, such as webp. The server chooses by default.", valueName: "name"))
        var format: String?

        @Flag(help: "Write the source in URL-safe base64, which no proxy changes.")
        var base64 = false

        func run() throws {
            let tool = try ImageURLs.tool()
            guard tool.hasKey else {
                throw ValidationError("there is no key to sign with; set TINTYPE_KEY and TINTYPE_SALT, in hexadecimal")
            }
            let image = ImageURLBuilder(
                options: options, source: source, fileExtension: format ?? "",
                encoding: base64 ? .base64(segmentLength: 0) : .plain)
            let path = tool.signedPath(image)
            if let problem = tool.problem(of: path) { throw ValidationError(problem.detail) }
            try StandardOutput.write(path)
        }
    }

    /// `tintype url verify`.
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Check whether the server would serve a URL; status 1 if not.")

        @Argument(help: ArgumentHelp("A URL, or the path of one.", valueName: "url"))
        var url: String

        func run() throws {
            guard let problem = try ImageURLs.tool().problem(of: url) else {
                return try StandardOutput.write("valid")
            }
            try StandardOutput.write("status \(problem.status): \(problem.detail)")
            throw ExitCode.failure
        }
    }

    /// `tintype url explain`.
    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain", abstract: "Print what the server reads in a URL.")

        @Argument(help: ArgumentHelp("A URL, or the path of one.", valueName: "url"))
        var url: String

        func run() throws {
            try StandardOutput.write(lines: try ImageURLs.tool().explanation(of: url).map { StyledText($0) })
        }
    }
}
