import CTintypeJPEG
import Foundation
import TintypeColor
import TintypeCore

/// Shows a JPEG while it arrives: a progressive one scan by scan, a baseline one row by row.
///
/// Used by one thread at a time: the lock is there to say so to the compiler, and is never waited for.
final class IncrementalJPEGDecoder: IncrementalImageDecoder {
    private let context: DecodeContext
    private let state: Locked<JPEGPreviewReader>

    init?(_ context: DecodeContext) {
        guard let reader = JPEGPreviewReader(context.limits) else { return nil }
        self.context = context
        state = Locked(reader)
    }

    func append(_ bytes: Data) throws(TintypeError) -> Image? {
        let (context) = context
        return try state.withLock { reader throws(TintypeError) in
            try reader.append(bytes)
            guard let plan = try reader.begin(context) else { return nil }
            guard try reader.advance(context) else { return nil }
            return try reader.preview(plan, context)
        }
    }
}

/// libjpeg reading one picture as it arrives.
///
/// `@unchecked Sendable` because the C object, which belongs to one thread at a time, is reached only through the lock
/// of the ``IncrementalJPEGDecoder`` that owns it.
struct JPEGPreviewReader: @unchecked Sendable {
    private let reader: Reader
    private var started: Started?
    /// What has arrived before the pixels; libjpeg keeps nothing of what it says of colours.
    private var head = Data()

    struct Started {
        let plan: JPEGPlan
        let info: ImageInfo
        /// The size of what libjpeg draws.
        let drawn: PixelSize
        /// Not of inks, which are previewed as colours without a profile.
        let converter: ColorConverter?
    }

    private final class Reader {
        let pointer: OpaquePointer

        init?(_ limits: DecodeLimits) {
            let limits = tintype_jpeg_limits(
                max_scans: UInt32(clamping: limits.scans),
                max_memory_bytes: min(limits.pixels, 1 << 40) * PixelBuffer.bytesPerPixel)
            guard let pointer = tintype_jpeg_incremental_create(limits) else { return nil }
            self.pointer = pointer
        }

        deinit {
            tintype_jpeg_incremental_destroy(pointer)
        }
    }

    init?(_ limits: DecodeLimits) {
        guard let reader = Reader(limits) else { return nil }
        self.reader = reader
    }

    mutating func append(_ bytes: Data) throws(TintypeError) {
        if started == nil { head.append(bytes) }
        let status = bytes.withUnsafeBytes { bytes in
            bytes.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_jpeg_incremental_append(reader.pointer, $0, bytes.count)
            }
        }
        try check(status ?? .ok)
    }

    /// What the header asks for, once it has arrived.
    mutating func begin(_ context: DecodeContext) throws(TintypeError) -> Started? {
        if let started { return started }
        var header = tintype_jpeg_header()
        let status = tintype_jpeg_incremental_read_header(reader.pointer, &header)
        if status == .needsMore { return nil }
        try check(status)
        let (info, colors) = try head.withTypedBytes { raw throws(TintypeError) in
            let segments = JPEGSegments(raw)
            return (ImageInfo(header, segments), try segments.colors(context.limits))
        }
        head = Data()
        try context.limits.check(info)
        let plan = try JPEGPlan(info, context.options)
        var (width, height): (UInt32, UInt32) = (0, 0)
        try check(tintype_jpeg_incremental_start(reader.pointer, UInt32(plan.eighths), &width, &height))
        let converter = header.isOfInks ? nil : header.converter(of: colors)
        started = Started(
            plan: plan, info: info, drawn: PixelSize(width: Int(width), height: Int(height)), converter: converter)
        return started
    }

    /// Decodes what has arrived; returns whether there is more to see.
    func advance(_ context: DecodeContext) throws(TintypeError) -> Bool {
        var sawMore = false
        while true {
            try context.checkCancelled()
            var changed = false
            let status = tintype_jpeg_incremental_advance(reader.pointer, &changed)
            sawMore = sawMore || changed
            if status == .needsMore || status == .ended { return sawMore }
            try check(status)
        }
    }

    func preview(_ started: Started, _ context: DecodeContext) throws(TintypeError) -> Image? {
        var writer = try PixelWriter(size: started.drawn)
        let stride = writer.bytesPerRow
        var rows: UInt32 = 0
        let status = writer.withRows { pixels in
            pixels.bindMemory(to: UInt8.self).baseAddress.map {
                tintype_jpeg_incremental_preview(reader.pointer, $0, stride, &rows)
            }
        }
        guard status != .needsMore else { return nil }
        try check(status ?? .ok)
        writer.convert(rows: Int(rows), by: started.converter)
        let drawn = writer.finish()
        let plan = started.plan
        let pixels = try drawn.resampled(
            crop: plan.target.part, of: plan.stored, to: plan.target.size, filter: .bilinear
        ).oriented(plan.orientation)
        return Image(pixels: pixels, info: started.info, scale: context.options.scale ?? 1)
    }

    private func check(_ status: tintype_jpeg_status) throws(TintypeError) {
        guard status != .ok else { return }
        throw TintypeError(status, String(cString: tintype_jpeg_incremental_message(reader.pointer)))
    }
}
