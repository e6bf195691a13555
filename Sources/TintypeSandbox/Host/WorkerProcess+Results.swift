import Foundation
import TintypeCore

// How pixels of a worker become those of an image.

extension WorkerProcess {
    /// Bitmaps of fewer bytes are copied, so that their blocks can be used again at once and the number of mappings
    /// stays small.
    private static let smallestMapped = 256 << 10
    /// Bitmaps are copied out of blocks that are more than this many times as large.
    private static let largestShare = 4

    /// Returns the pixels of a reply.
    ///
    /// - Throws: ``Failure/violated(_:)`` if the rows do not have the size that the worker states.
    func pixels(_ pixels: WorkerPixels) throws(Failure) -> PixelBuffer {
        switch pixels {
        case .inline(let size, let rows):
            guard rows.count == PixelBuffer.bytesPerRow(width: size.width) * size.height else {
                throw .violated("rows of another length")
            }
            return try rows.withUnsafeBytes { raw in Result { () throws(Failure) in try Self.copy(size, raw) } }.get()
        case .block(let size, let number):
            guard let block = blocks.deliver(number) else { throw .violated("a block that the worker does not have") }
            let delivered = DeliveredBlock(block, returned)
            guard let mapped = PixelBuffer(size: size, rows: delivered.bytes, owner: delivered) else {
                throw .violated("rows that do not fit into their block")
            }
            guard mapped.byteCount < Self.smallestMapped || block.bytes.count / Self.largestShare > mapped.byteCount
            else { return mapped }
            return try mapped.withUnsafeBytes { raw throws(Failure) in try Self.copy(size, raw) }
        }
    }

    private static func copy(_ size: PixelSize, _ rows: UnsafeRawBufferPointer) throws(Failure) -> PixelBuffer {
        guard var writer = try? PixelWriter(size: size) else { throw .ended }
        writer.withRows { $0.copyMemory(from: rows) }
        return writer.finish()
    }
}
