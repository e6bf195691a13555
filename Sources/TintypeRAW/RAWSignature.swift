import Foundation
import TintypeCore

/// The beginnings of raw images.
enum RAWSignature {
    /// The formats that begin in a way of their own, by the offset of the bytes: Olympus, Panasonic, Fujifilm, Minolta,
    /// Sigma, and Canon's CRW and CR3.
    private static let words: [(offset: Int, text: String)] = [
        (0, "IIRO"), (0, "IIRS"), (0, "MMOR"), (0, "IIU\0"), (0, "FUJIFILMCCD-RAW"), (0, "\0MRM"), (0, "FOVb"),
        (6, "HEAPCCDR"), (4, "ftypcrx "),
    ]

    /// Tags of the first directory of a TIFF (DNG 1.6; TIFF/EP).
    private enum Tag {
        static let kind = 0x00FE
        static let photometricInterpretation = 0x0106
        static let furtherDirectories = 0x014A
        static let dngVersion = 0xC612
    }

    static func matches(_ head: Data) -> Bool {
        if words.contains(where: { head.dropFirst($0.offset).starts(with: $0.text.utf8) }) { return true }
        // Canon's CR2 is a TIFF with a mark in its header.
        if isTIFF(head), head.dropFirst(8).starts(with: "CR".utf8) { return true }
        guard let directory = TIFFDirectory.first(of: head) else { return false }
        if directory.byteCount(Tag.dngVersion) > 0 { return true }
        // The samples of a sensor (TIFF/EP; DNG), such as those in the first directory of a PEF.
        let interpretation = directory.number(Tag.photometricInterpretation)
        if interpretation == 32803 || interpretation == 34892 { return true }
        // The first image of the other formats is a preview; the sensor's is in a further directory.
        return directory.number(Tag.kind) == 1 && directory.byteCount(Tag.furtherDirectories) > 0
    }

    private static func isTIFF(_ head: Data) -> Bool {
        head.starts(with: [0x49, 0x49, 42, 0]) || head.starts(with: [0x4D, 0x4D, 0, 42])
    }
}
