import Foundation
import Testing
import TintypeCore

extension ImageDecoder {
    /// Returns the previews of an image that arrives in pieces of a given number of bytes.
    func previews(
        _ data: Data, piece: Int, _ options: DecodeOptions = DecodeOptions()
    ) throws -> [Image] {
        let decoder = try #require(makeIncrementalDecoder(context: DecodeContext(options: options)))
        return try stride(from: 0, to: data.count, by: piece).compactMap { start in
            try decoder.append(data.dropFirst(start).prefix(piece))
        }
    }
}
