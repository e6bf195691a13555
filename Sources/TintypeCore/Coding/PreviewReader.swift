package import Foundation

/// A library decoding one still picture as it arrives.
///
/// Used by one thread at a time: see ``IncrementalImage``.
package protocol PreviewReader: AnyObject, Sendable {
    /// Decodes the next bytes; returns whether there is more to see.
    func append(_ bytes: Data) throws(TintypeError) -> Bool

    /// What has come, also after a failure; `nil` while that is nothing.
    func preview() throws(TintypeError) -> Image?
}

extension PreviewReader {
    /// What comes of a picture that may be damaged; `nil` when that is nothing.
    package func salvaged(_ bytes: Data) throws(TintypeError) -> Image? {
        do throws(TintypeError) {
            _ = try append(bytes)
        } catch {
            guard error.code == .undecodable else { throw error }
        }
        return try preview()
    }
}
