import TintypeCore

/// The headers of all frames of a JPEG XL, read without libjxl. libjxl does not report hidden ones: low-frequency frames,
/// and frames that only later ones refer to. For the frames that libjxl would reach, the walk reads the same bits.
struct JXLFrameWalk {
    private let image: JXLHeader
    private var bits: JXLBitReader
    /// The frame that was read last.
    private var last: JXLFrameHeader?
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
            try last?.skipSections(&bits)
            let header = try JXLFrameHeader(&bits, of: image)
            (last, isFinished) = (header, header.isLast)
            return header
        } catch {
            guard error.code == .undecodable else { throw error }
            isFinished = true
            return nil
        }
    }
}
