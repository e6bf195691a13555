import Foundation
import TintypeCore

/// What a decoder tells of the first bytes of an input, whole and cut.
struct HeaderRun {
    private let decoder: any ImageDecoder
    private let bytes: Data

    init(_ decoder: any ImageDecoder, _ bytes: Data) {
        self.decoder = decoder
        self.bytes = bytes
    }

    /// - Returns: what the whole input calls itself.
    @discardableResult func run() -> ImageInfo? {
        for length in FuzzChoice(bytes).prefixes { _ = try? decoder.info(of: bytes.prefix(length), isComplete: false) }
        do {
            let info = try decoder.info(of: bytes, isComplete: true)
            precondition(info != nil, "more bytes are wanted after the last one")
            return info
        } catch {
            return nil
        }
    }
}
