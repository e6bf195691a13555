import CTintypePNG
import Foundation

/// A PNG in the making, chunk after chunk.
struct PNGAssembly {
    private(set) var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    mutating func add(_ kind: PNGChunk.Kind, _ body: some Collection<UInt8>) {
        append(UInt32(body.count))
        let start = data.count
        append(kind.rawValue)
        data.append(contentsOf: body)
        let checksum = data.withUnsafeBytes { bytes in
            bytes.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_png_checksum($0 + start, bytes.count - start)
            }
        }
        append(checksum ?? 0)
    }

    private mutating func append(_ number: UInt32) {
        withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) }
    }
}
