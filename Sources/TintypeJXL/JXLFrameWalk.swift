import TintypeCore

/// The headers of all frames of a JPEG XL, read without libjxl. libjxl does not report hidden ones: low-frequency frames,
/// and frames that only later ones refer to. For the frames that libjxl would reach, the walk reads the same bits.
struct JXLFrameWalk {
    private let image: JXLHeader
    private var bits: JXLBitReader
    /// The frame that was read last.
    private var last: JXLFrameHeader?
    /// The numbers of bytes of its sections, if they have been read.
    private var sections: (first: Int, all: Int)?
    private var patchBudget = JXLPatches.Budget()
    private var isFinished = false

    /// - Parameter codestream: The bytes from the first frame on.
    init(_ codestream: JXLCodestream, of image: JXLHeader) {
        (self.image, bits) = (image, JXLBitReader(codestream))
    }

    /// Returns the next header; `nil` after the last frame, and where the bytes end or are damaged. libjxl stops there, too.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if the frame before it, or the header, cannot be read; see
    ///   ``JXLSectionOrder`` and ``JXLFrameHeader``.
    mutating func next() throws(TintypeError) -> JXLFrameHeader? {
        guard !isFinished else { return nil }
        do throws(TintypeError) {
            if let last {
                let lengths = if let sections { sections } else { try last.readSectionTable(&bits) }
                try bits.skip(bytes: lengths.all)
            }
            let header = try JXLFrameHeader(&bits, of: image)
            (last, sections, isFinished) = (header, nil, header.isLast)
            return header
        } catch {
            guard error.code == .undecodable else { throw error }
            isFinished = true
            return nil
        }
    }

    /// Returns the patches of the frame that was read last; `nil` if the bytes end in the section that contains them.
    /// Call it once.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if they cannot be read, or with those of the frames before
    ///   exceed a limit; ``TintypeError/cancelled``.
    mutating func patches(isCancelled: () -> Bool) throws(TintypeError) -> JXLPatches? {
        guard let last else { return nil }
        var section: JXLBitReader
        do throws(TintypeError) {
            let lengths = try last.readSectionTable(&bits)
            sections = lengths
            section = try bits.prefix(bytes: lengths.first)
        } catch {
            guard error.code == .undecodable else { throw error }
            isFinished = true
            return nil
        }
        do throws(TintypeError) {
            return try JXLPatches(
                &section, of: last.patchFrame(of: image), within: &patchBudget, isCancelled: isCancelled)
        } catch {
            // libjxl reads zeros behind the section.
            throw error.code == .undecodable ? .unreadableNumbers : error
        }
    }
}
