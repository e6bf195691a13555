/// Room for rows that are resampled across and wait to be resampled down.
///
/// Only the `RowResampler` that made it has it, which one thread uses at a time.
final class ResampleRing {
    let channels: UnsafeMutablePointer<Int16>
    private let storage: PixelStorage

    /// - Throws: ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/outOfMemory``.
    init(rows: Int, rowLength: Int) throws(TintypeError) {
        let (numbers, overflow) = rows.multipliedReportingOverflow(by: rowLength)
        guard !overflow, numbers <= PixelSize.mostTransformedBytes / MemoryLayout<Int16>.stride else {
            throw TintypeError(.limitExceeded, stage: .transform, "resampling needs too much memory at once")
        }
        storage = try PixelStorage(byteCount: numbers * MemoryLayout<Int16>.stride)
        guard let start = storage.bytes.bindMemory(to: Int16.self).baseAddress else {
            throw TintypeError(.outOfMemory, stage: .transform, "no memory to resample in")
        }
        channels = start
    }
}
