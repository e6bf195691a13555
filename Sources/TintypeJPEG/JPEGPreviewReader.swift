import CTintypeJPEG
import Foundation
import TintypeColor
import TintypeCore

/// libjpeg decoding one picture as it arrives: a progressive one scan by scan, a baseline one row by row.
///
/// `@unchecked Sendable` because the C object and what is known of it, which belong to one thread at a time, are reached
/// only through the lock of the ``IncrementalImage`` that owns this.
final class JPEGPreviewReader: PreviewReader, @unchecked Sendable {
    private let reader: OpaquePointer
    private let context: DecodeContext
    private var started: Started?
    /// What has arrived before the pixels; libjpeg keeps nothing of what it says of colours.
    private var head = Data()

    private struct Started {
        let plan: JPEGPlan
        let info: ImageInfo
        /// The size of what libjpeg draws.
        let drawn: PixelSize
        /// Not of inks, which are previewed as colours without a profile.
        let converter: ColorConverter?
    }

    /// `nil` when there is no memory.
    init?(_ context: DecodeContext) {
        let limits = tintype_jpeg_limits(
            max_scans: UInt32(clamping: context.limits.scans),
            max_memory_bytes: min(context.limits.pixels, 1 << 40) * PixelBuffer.bytesPerPixel)
        guard let reader = tintype_jpeg_incremental_create(limits) else { return nil }
        self.reader = reader
        self.context = context
    }

    deinit {
        tintype_jpeg_incremental_destroy(reader)
    }

    func append(_ bytes: Data) throws(TintypeError) -> Bool {
        if started == nil { head.append(bytes) }
        let status = bytes.withUnsafeBytes { bytes in
            bytes.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_jpeg_incremental_append(reader, $0, bytes.count)
            }
        }
        try check(status ?? .ok)
        guard try begin() else { return false }
        return try advance()
    }

    /// Begins with the pixels once the header has arrived; returns whether it has.
    private func begin() throws(TintypeError) -> Bool {
        guard started == nil else { return true }
        var header = tintype_jpeg_header()
        let status = tintype_jpeg_incremental_read_header(reader, &header)
        if status == .needsMore { return false }
        try check(status)
        let (info, colors) = try head.withTypedBytes { raw throws(TintypeError) in
            let segments = JPEGSegments(raw)
            return (ImageInfo(header, segments), try segments.colors(context.limits))
        }
        head = Data()
        try context.limits.check(info)
        let plan = try JPEGPlan(info, context.options)
        var (width, height): (UInt32, UInt32) = (0, 0)
        try check(tintype_jpeg_incremental_start(reader, UInt32(plan.eighths), &width, &height))
        let converter = header.isCMYK ? nil : header.converter(of: colors)
        started = Started(
            plan: plan, info: info, drawn: PixelSize(width: Int(width), height: Int(height)), converter: converter)
        return true
    }

    /// Decodes what has arrived; returns whether there is more to see.
    private func advance() throws(TintypeError) -> Bool {
        var sawMore = false
        while true {
            try context.checkCancelled()
            var changed = false
            let status = tintype_jpeg_incremental_advance(reader, &changed)
            sawMore = sawMore || changed
            if status == .needsMore || status == .ended { return sawMore }
            try check(status)
        }
    }

    func preview() throws(TintypeError) -> Image? {
        guard let started else { return nil }
        var writer = try PixelWriter(size: started.drawn)
        let stride = writer.bytesPerRow
        var rows: UInt32 = 0
        let status = writer.withRows { pixels in
            pixels.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_jpeg_incremental_preview(reader, $0, stride, &rows)
            }
        }
        guard status != .needsMore else { return nil }
        try check(status ?? .ok)
        writer.convert(rows: Int(rows), by: started.converter)
        let plan = started.plan
        let pixels = try writer.finish().resampled(
            crop: plan.target.part, relativeTo: plan.stored, to: plan.target.size, filter: .bilinear
        ).oriented(plan.orientation)
        return Image(pixels: pixels, info: started.info, scale: context.options.scale ?? 1)
    }

    private func check(_ status: tintype_jpeg_status) throws(TintypeError) {
        guard status != .ok else { return }
        throw TintypeError(status, String(cString: tintype_jpeg_incremental_message(reader)))
    }
}
