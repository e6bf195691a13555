import ArgumentParser
import Foundation
import Tintype

/// `tintype doctor`: tests formats and cache, and reports libraries, transport, sandbox and terminal.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Test the formats and the cache, and report on the libraries, the transport, the sandbox and the terminal.",
        discussion: """
            Encodes a small image in every format that can be written, decodes it, and compares its colour; for \
            formats that can only be read, decodes a built-in image. A library that is not installed, and that only some \
            formats need, is no failure. Reports the known versions of the libraries, that of \
            HTTP, the restrictions of worker processes, the state of the cache and the capabilities of the terminal. The \
            exit status is 1 if a test fails.
            """)

    @OptionGroup var location: CacheLocation

    @OptionGroup var terminal: TerminalOptions

    @Flag(help: "Write a JSON object.")
    var json = false

    private struct Record: Encodable {
        let version: String
        let cores: Int
        let formats: [FormatProbe]
        let libraries: [String]
        let transport: TransportProbe
        let sandbox: SandboxProbe
        let cache: CacheProbe
        let terminal: TerminalProbe
    }

    func run() async throws {
        let formats = try await WorkQueue.pixels.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            FormatProbe.all(.command)
        }
        let record = Record(
            version: TintypeCommand.configuration.version, cores: ProcessInfo.processInfo.activeProcessorCount,
            formats: formats,
            libraries: LibraryVersion.others.compactMap { library in library.version.map { "\(library.name) \($0)" } },
            transport: TransportProbe(), sandbox: SandboxProbe(), cache: await CacheProbe(location.diskCache),
            terminal: TerminalProbe())
        try json ? StandardOutput.write(json: record) : StandardOutput.write(lines: Self.lines(record))
        if record.cache.failure != nil || formats.contains(where: { $0.failure != nil }) { throw ExitCode.failure }
    }

    private static func lines(_ record: Record) -> [StyledText] {
        ["tintype \(record.version), \(HumanFormat.count(record.cores, "core", "cores"))"]
            + section("formats", record.formats.map(\.line))
            + section("libraries", [StyledText("  \(record.libraries.joined(separator: ", "))")])
            + section("transport", [StyledText(record.transport.line)])
            + section("sandbox", [StyledText(record.sandbox.line)])
            + section("cache", [StyledText(record.cache.line)])
            + section("terminal", [StyledText(record.terminal.line)])
    }

    private static func section(_ title: String, _ lines: [StyledText]) -> [StyledText] {
        [StyledText(title, .heading)] + lines
    }
}

/// The library that sends HTTP requests.
struct TransportProbe: Encodable, Sendable {
    /// The version of libcurl, or `nil`.
    let library: String?
    /// Whether HTTP/2 is used.
    let usesHTTP2: Bool
    /// Why no request can be sent, or `nil`.
    let failure: String?

    init() {
        (library, usesHTTP2) = (CurlTransport.libraryVersion, CurlTransport.usesHTTP2)
        failure = CurlTransport.failure?.message
    }

    var line: String {
        guard let library, failure == nil else { return "  none: \(failure ?? "")" }
        return usesHTTP2
            ? "  libcurl \(library), HTTP/1.1 and HTTP/2"
            : "  libcurl \(library), HTTP/1.1 only: HTTP/2 needs libcurl \(CurlTransport.firstVersionWithHTTP2)"
    }
}

/// The restrictions of the worker processes that decode images.
struct SandboxProbe: Encodable, Sendable {
    let landlockVersion: Int?
    let isFiltered: Bool?
    /// What the kernel does not restrict.
    let missing: [String]
    /// Why no worker can be started, or `nil`.
    let failure: String?

    init() {
        do throws(TintypeError) {
            let status = try SandboxStatus.probe()
            (landlockVersion, isFiltered) = (status.landlockVersion, status.isFiltered)
            (missing, failure) = (status.missing, nil)
        } catch {
            (landlockVersion, isFiltered, missing, failure) = (nil, nil, [], error.message)
        }
    }

    var line: String {
        guard failure == nil else { return "  none: \(failure ?? "")" }
        guard missing.isEmpty else { return "  incomplete: \(missing.joined(separator: "; "))" }
        return "  complete: Landlock \(landlockVersion ?? 0), filtered system calls, limited memory and time"
    }
}

/// The state of the disk cache.
struct CacheProbe: Encodable, Sendable {
    let path: String
    let count: Int?
    let bytes: Int?
    /// Why the cache cannot be used, or `nil`.
    let failure: String?

    init(_ cache: DiskCache) async {
        path = cache.directory.path(percentEncoded: false)
        do throws(TintypeError) {
            let usage = try await cache.usage()
            (count, bytes, failure) = (usage.count, usage.byteCount, nil)
        } catch {
            (count, bytes, failure) = (nil, nil, error.message)
        }
    }

    var line: String {
        let state = failure ?? "\(HumanFormat.count(count ?? 0, "entry", "entries")), \(HumanFormat.bytes(bytes ?? 0))"
        return "  \(path): \(state)"
    }
}

/// The facts about the terminal.
struct TerminalProbe: Encodable, Sendable {
    let isOutputTerminal = StandardOutput.isTerminal
    let isErrorTerminal = StandardError.isTerminal
    let columns = StandardError.columns
    let hasColors = StandardStream.hasColors(STDOUT_FILENO)
    let type = ProcessInfo.processInfo.environment["TERM"]

    var line: String {
        guard isErrorTerminal else { return "  none, so no progress is shown" }
        return "  \(type ?? "unknown type"), \(columns) columns, \(hasColors ? "in colour" : "without colours")"
    }
}
