import ArgumentParser
import Foundation
import Tintype

/// How HTTP is spoken.
struct HTTPOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp("A header field of every request; may be repeated.", valueName: "name: value"))
    var headers: [HeaderField] = []

    @Option(help: ArgumentHelp("Seconds without progress after which a transfer is given up.", valueName: "seconds"))
    var timeout = 15.0

    func validate() throws {
        guard timeout.isFinite, timeout > 0, timeout <= 86_400 else {
            throw ValidationError("--timeout takes seconds above 0, at most 86400.")
        }
    }

    var configuration: DownloaderConfiguration {
        var configuration = DownloaderConfiguration()
        configuration.idleTimeout = .seconds(timeout)
        configuration.connectTimeout = min(configuration.connectTimeout, .seconds(timeout))
        for field in headers { configuration.headers[field.name] = field.value }
        return configuration
    }
}

/// One `name: value`.
struct HeaderField: ExpressibleByArgument {
    let name: String
    let value: String

    /// Only what RFC 9110, 5.1 and 5.5 allow: a line break would begin another field.
    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        name = String(argument[..<colon])
        value = argument[argument.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken), value.utf8.allSatisfy({ $0 >= 0x20 || $0 == 9 }) else {
            return nil
        }
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
    }
}
