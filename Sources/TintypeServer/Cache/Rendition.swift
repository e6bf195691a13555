import Foundation
import TintypeCore
import TintypeTLS

/// An encoded result, as caches store it and responses send it.
struct EncodedRendition: Sendable {
    /// The encoded bytes.
    let data: Data
    /// The format of the bytes.
    let format: ImageFormat
    /// The first 16 bytes of the SHA-256 digest of the bytes, of which the entity tag is made.
    let digest: [UInt8]
    /// What the client is told about how the result was made.
    let notes: RenditionNotes
}

/// What was lost or limited when a rendition was made. Stored with it, so that every response tells the same.
struct RenditionNotes: Hashable, Sendable, Codable {
    /// The number of frames that the result has, if the source has more.
    var frames: Int?
    /// The number of frames of the source.
    var sourceFrames: Int?
    /// Whether the source has more dynamic range than the result.
    var losesRange: Bool?

    /// The header fields of a response, without a prefix.
    var fields: [(name: String, value: String)] {
        var fields: [(String, String)] = []
        if let frames, let sourceFrames { fields.append(("Tintype-Frames", "\(frames)/\(sourceFrames)")) }
        if let loss { fields.append(("Tintype-Lost", loss)) }
        return fields
    }

    /// The name of what was lost; `nil` for nothing.
    var loss: String? { losesRange == true ? "dynamic-range" : nil }
}

extension EncodedRendition {
    /// Computes the digest of bytes.
    init(_ data: Data, _ format: ImageFormat, notes: RenditionNotes) {
        self.init(data: data, format: format, digest: Array(SystemDigest.sha256(data).prefix(16)), notes: notes)
    }

    /// Reads an entry of a cache.
    ///
    /// - Returns: `nil` if the entry has not all that a response needs.
    init?(_ entry: CacheEntry) {
        guard let format = entry.format,
            let stored = try? JSONDecoder().decode(StoredNotes.self, from: entry.metadata)
        else { return nil }
        self.init(data: entry.data, format: format, digest: Array(stored.digest), notes: stored.notes)
    }

    /// The entry of a cache.
    var cacheEntry: CacheEntry {
        let stored = StoredNotes(digest: Data(digest), notes: notes)
        return CacheEntry(data: data, format: format, metadata: (try? JSONEncoder().encode(stored)) ?? Data())
    }
}

private struct StoredNotes: Codable {
    var digest: Data
    var notes: RenditionNotes
}
