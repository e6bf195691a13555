import CTintypeJPEG
import Foundation
import TintypeColor
import TintypeCore

/// Decodes one image with libjpeg as it arrives: a progressive one scan by scan, a baseline one row by row.
///
/// `@unchecked Sendable` because the C object and the state around it are used by one thread at a time, under the lock
/// of the ``IncrementalImage`` that owns this reader.
final class JPEGPreviewReader: PreviewReader, @unchecked Sendable {
    private let reader: OpaquePointer
    private let context: DecodeContext
    private var output: Output?
    /// Whether previews would need more memory than the limit. The complete image may need less.
    private var isHidden = false
    /// The bytes before the pixels. libjpeg does not keep what they state about colours.
    private var headerBytes = Data()

    /// The state from the end of the header on.
    private struct Output {
        let plan: JPEGPlan
        let info: ImageInfo
        /// The size of libjpeg's output in pixels.
        let size: PixelSize
        /// `nil` for CMYK, whose previews ignore the profile.
        let converter: ColorConverter?
    }

    /// The memory that a preview takes for each pixel of libjpeg's output: the rows so far, those of the preview, and a
    /// resampled or turned copy.
    static let bytesPerPixel = 3 * PixelBuffer.bytesPerPixel

    /// - Returns: `nil` if there is not enough memory.
    init?(_ context: DecodeContext) {
        let limits = tintype_jpeg_limits(
            max_scans: UInt32(clamping: context.limits.scans),
            max_memory_bytes: max(context.limits.memoryBytes, 1))
        guard let reader = tintype_jpeg_incremental_create(limits) else { return nil }
        self.reader = reader
        self.context = context
    }

    deinit {
        tintype_jpeg_incremental_destroy(reader)
    }

    func append(_ bytes: Data) throws(TintypeError) -> Bool {
        guard !isHidden else { return false }
        if output == nil { headerBytes.append(bytes) }
        let status = bytes.withUnsafeBytes { bytes in
            bytes.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_jpeg_incremental_append(reader, $0, bytes.count)
            }
        }
        try check(status ?? .ok)
        guard try startOutput() else { return false }
        return try decodeArrivedBytes()
    }

    /// Starts the decoding of pixels if the header is complete, and returns whether they are started.
    private func startOutput() throws(TintypeError) -> Bool {
        guard output == nil else { return true }
        var header = tintype_jpeg_header()
        let status = tintype_jpeg_incremental_read_header(reader, &header)
        if status == .needsMore { return false }
        try check(status)
        let (info, colors) = try headerBytes.withTypedBytes { raw throws(TintypeError) in
            let segments = JPEGSegments(raw)
            return (ImageInfo(header, segments), try segments.colors(context.limits))
        }
        headerBytes = Data()
        try context.limits.check(info)
        let plan = try JPEGPlan(info, context.options)
        isHidden = !context.limits.allowsMemory(
            bytesPerPixel: Self.bytesPerPixel, of: plan.outputSize, other: header.coefficientBytes)
        guard !isHidden else { return false }
        var (width, height): (UInt32, UInt32) = (0, 0)
        try check(tintype_jpeg_incremental_start(reader, UInt32(plan.eighths), &width, &height))
        let converter = header.isCMYK ? nil : header.converter(of: colors)
        output = Output(
            plan: plan, info: info, size: PixelSize(width: Int(width), height: Int(height)), converter: converter)
        return true
    }

    /// Decodes the bytes that have arrived, and returns whether a new preview differs from the last one.
    private func decodeArrivedBytes() throws(TintypeError) -> Bool {
        var hasNewPixels = false
        while true {
            try context.checkCancelled()
            var changed = false
            let status = tintype_jpeg_incremental_advance(reader, &changed)
            hasNewPixels = hasNewPixels || changed
            if status == .needsMore || status == .ended { return hasNewPixels }
            try check(status)
        }
    }

    func preview() throws(TintypeError) -> Image? {
        guard let output else { return nil }
        var writer = try PixelWriter(size: output.size)
        let stride = writer.bytesPerRow
        var rows: UInt32 = 0
        let status = writer.withRows { pixels in
            pixels.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_jpeg_incremental_preview(reader, $0, stride, &rows)
            }
        }
        guard status != .needsMore else { return nil }
        try check(status ?? .ok)
        writer.convert(rows: Int(rows), by: output.converter)
        let pixels = try output.plan.upright(writer.finish(), filter: .bilinear)
        return Image(pixels: pixels, info: output.info, scale: context.options.scale ?? 1)
    }

    private func check(_ status: tintype_jpeg_status) throws(TintypeError) {
        guard status != .ok else { return }
        throw TintypeError(status, String(cString: tintype_jpeg_incremental_message(reader)))
    }
}
