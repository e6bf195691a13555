import CLibJXL
import Foundation
import TintypeCore

extension JXLReader {
    /// The Exif data of a whole file, which lie in a box of its container, compressed or not (ISO/IEC 18181-2, 9.4 and 9.6).
    ///
    /// - Returns: `nil` where there are none, and where they are damaged: that is no reason to show no picture.
    /// - Throws: ``TintypeError/Code/limitExceeded`` for too many bytes.
    static func exif(of bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(TintypeError) -> ExifData? {
        // Those that are no container begin with a code that no box has.
        guard bytes.first == 0 else { return nil }
        do throws(TintypeError) {
            var reader = try JXLReader(bytes, isComplete: true, events: JXL_DEC_BOX)
            JxlDecoderSetDecompressBoxes(reader.decoder, 1)
            while try reader.next() == JXL_DEC_BOX {
                if reader.boxType == "Exif" { return ExifData(item: try reader.boxContents(limits)) }
            }
            return nil
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }

    private var boxType: String {
        var type: (CChar, CChar, CChar, CChar) = (0, 0, 0, 0)
        return withUnsafeMutableBytes(of: &type) { letters in
            _ = letters.bindMemory(to: CChar.self).baseAddress.map { JxlDecoderGetBoxType(decoder, $0, 1) }
            return String(decoding: letters, as: UTF8.self)
        }
    }

    /// What is in the box whose beginning was found, a piece at a time, so that a compressed one claims no more than is
    /// allowed.
    private mutating func boxContents(_ limits: DecodeLimits) throws(TintypeError) -> Data {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { room.deallocate() }
        var contents = Data()
        while true {
            let base = room.bindMemory(to: UInt8.self).baseAddress
            guard JxlDecoderSetBoxBuffer(decoder, base, room.count) == JXL_DEC_SUCCESS else { throw .damagedJXL }
            let event = try next()
            contents.append(contentsOf: room[..<(room.count - JxlDecoderReleaseBoxBuffer(decoder))])
            try limits.check(exifBytes: contents.count)
            if event != JXL_DEC_BOX_NEED_MORE_OUTPUT { return contents }
        }
    }
}
