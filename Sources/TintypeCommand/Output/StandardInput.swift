import Foundation
import Tintype

/// Standard input, read to its end. It may be an endless device, or not readable at all.
enum StandardInput {
    /// - Parameters:
    ///   - limit: The largest number of bytes.
    ///   - content: The name of the content in errors, such as "an image".
    ///   - interruption: Ends the reading.
    /// - Throws: `TintypeError.Code.unreadable`; `TintypeError.Code.limitExceeded` for more than `limit` bytes;
    ///   `TintypeError.Code.cancelled`.
    static func read(
        atMost limit: Int, _ content: String, until interruption: Interruption = .none
    ) throws(TintypeError) -> Data {
        let input = InputStreamBytes(descriptor: STDIN_FILENO, name: "standard input")
        return try input.read(atMost: limit, content, until: interruption)
    }
}

/// The bytes of a file, pipe or device, read to its end.
struct InputStreamBytes {
    let descriptor: Int32
    /// The name for error messages.
    let name: String

    /// See ``StandardInput/read(atMost:_:until:)``.
    func read(atMost limit: Int, _ content: String, until interruption: Interruption) throws(TintypeError) -> Data {
        var data = Data()
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            try waitForBytes(until: interruption)
            let count = Foundation.read(descriptor, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                throw TintypeError(.unreadable, stage: .load, SystemError.description(errno), subject: name)
            }
            guard count > 0 else { return data }
            data.append(contentsOf: piece[..<count])
            guard data.count <= limit else {
                throw TintypeError(
                    .limitExceeded, stage: .load, "\(content) with more than \(limit) bytes", subject: name)
            }
        }
    }

    /// Waits until a read would not block. A signal does not end a read, so the wait ends ten times a second.
    private func waitForBytes(until interruption: Interruption) throws(TintypeError) {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        repeat { try interruption.check() } while poll(&state, 1, 100) == 0
    }
}

extension SourceArgument {
    /// Whether this is `-`. A file of that name is `./-`.
    var isStandardInput: Bool { text == "-" }
}
