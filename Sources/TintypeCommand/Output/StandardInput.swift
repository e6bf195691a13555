import Foundation
import Tintype

/// Standard input, read to its end. It may be an endless device, or not readable at all.
enum StandardInput {
    /// - Parameters:
    ///   - limit: The largest number of bytes.
    ///   - content: What is read, for the error message, such as "a list of URLs".
    /// - Throws: ``TintypeError/Code/unreadable``; ``TintypeError/Code/limitExceeded`` for more than `limit` bytes.
    static func read(atMost limit: Int, _ content: String) throws(TintypeError) -> Data {
        var data = Data()
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(STDIN_FILENO, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                throw TintypeError(
                    .unreadable, stage: .load, SystemError.description(errno), subject: "standard input")
            }
            guard count > 0 else { return data }
            data.append(contentsOf: piece[..<count])
            guard data.count <= limit else {
                throw TintypeError(
                    .limitExceeded, stage: .load, "\(content) with more than \(limit) bytes", subject: "standard input")
            }
        }
    }
}

extension SourceArgument {
    /// Whether this is `-`. A file of that name is `./-`.
    var isStandardInput: Bool { text == "-" }

    /// Returns the source, with the bytes of standard input for `-`. Blocks while it reads them.
    ///
    /// - Parameter limit: The largest number of bytes of an image.
    /// - Throws: ``TintypeError/Code/invalidSource``, and the errors of reading standard input.
    func source(readingAtMost limit: Int) throws(TintypeError) -> ImageSource {
        guard isStandardInput else { return try source() }
        return .bytes(try StandardInput.read(atMost: limit, "an image"), id: "standard input")
    }
}
