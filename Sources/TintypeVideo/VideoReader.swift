import CTintypeVideo
import Foundation
import TintypeColor
import TintypeCore

/// An open video. Used by one thread.
struct VideoReader: ~Copyable {
    private let reader: OpaquePointer
    private let container: VideoContainer
    private let header: tintype_video_header

    /// Opens a file and reads its header.
    ///
    /// - Parameter bytes: Must outlive the reader.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`, `TintypeError.Code.noCoder` if
    ///   the libraries are not installed.
    init(_ bytes: UnsafeRawBufferPointer) throws(TintypeError) {
        let library = try VideoLibrary.standard.get()
        guard let container = VideoContainer(Data(bytes.prefix(12))) else {
            throw TintypeError(.undecodable, stage: .decode, "the file is no MP4, QuickTime, WebM or Matroska")
        }
        var message = [CChar](repeating: 0, count: Self.messageSize)
        var reader: OpaquePointer?
        let status = bytes.bindMemory(to: UInt8.self).baseAddress.map {
            tintype_video_open(
                library.functions, library.scalerFunctions, $0, bytes.count, container.demuxer, &reader, &message,
                message.count)
        }
        guard status == .ok, let reader else { throw TintypeError(status ?? .corrupt, String(cText: message)) }
        (self.reader, self.container) = (reader, container)
        header = tintype_video_get_header(reader)
    }

    deinit {
        tintype_video_close(reader)
    }

    private static let messageSize = 200

    /// The properties of a frame. Pixels that are not square are widened.
    var info: ImageInfo {
        let ratio = min(max(header.pixel_ratio, 1 / 16.0), 16)
        let stored = PixelSize(
            width: Int((Double(header.width) * ratio).rounded()), height: Int(header.height))
        let orientation = Orientation(rawValue: Int(header.orientation)) ?? .up
        return ImageInfo(
            format: container.format, size: orientation.displayed(stored), orientation: orientation)
    }

    /// The meaning of the samples of a frame (ITU-T H.273).
    struct Frame {
        let primaries: Int
        let transfer: Int
    }

    /// Decodes the frame that is shown at a time.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded` if it is larger than the header
    ///   says and the limits allow, `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    func decode(at time: Duration, _ context: DecodeContext) throws(TintypeError) -> Frame {
        var message = [CChar](repeating: 0, count: Self.messageSize)
        var frame = tintype_video_frame()
        let hook = CancelHook(context.isCancelled)
        let status = withExtendedLifetime(hook) {
            tintype_video_decode(
                reader, time / .seconds(1), Int64(context.limits.pixels), CancelHook.callback, hook.pointer, &frame,
                &message, message.count)
        }
        guard status == .ok else { throw TintypeError(status, String(cText: message)) }
        try context.limits.check(
            ImageInfo(
                format: container.format, size: PixelSize(width: Int(frame.width), height: Int(frame.height))))
        return Frame(primaries: Int(frame.primaries), transfer: Int(frame.transfer))
    }

    /// Returns the decoded frame in sRGB, not turned.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`.
    func pixels(_ size: PixelSize, _ converter: ColorConverter?) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        let status = writer.withRows { convert($0, isWide: false, stride: stride, size) }
        guard status == .ok else { throw TintypeError(status, "") }
        writer.convert(rows: size.height, by: converter)
        return writer.finish()
    }

    /// Returns the decoded frame in sRGB with its tones mapped, not turned.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    func toneMapped(
        _ size: PixelSize, _ colors: SourceColors, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        var samples = try HighRangePixels.writer(size)
        let stride = samples.bytesPerRow
        let status = samples.withRows { convert($0, isWide: true, stride: stride, size) }
        guard status == .ok else { throw TintypeError(status, "") }
        let rows = WideRows(
            size, DecodeTarget(whole: size, size: size), WideConverter(colors, .rgb),
            DecodeContext(limits: context.limits, isCancelled: context.isCancelled))
        let wide = samples.finish()
        return try rows.image { (first, count, words) in
            for y in 0..<count {
                wide.withUnsafeRow(first + y) { row in
                    let start = UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(words)[(y * size.width * 8)...])
                    start.copyMemory(from: UnsafeRawBufferPointer(rebasing: row[..<(size.width * 8)]))
                }
            }
        }.pixels
    }

    private func convert(
        _ rows: UnsafeMutableRawBufferPointer, isWide: Bool, stride: Int, _ size: PixelSize
    ) -> tintype_video_status {
        guard let start = rows.bindMemory(to: UInt8.self).baseAddress else { return .corrupt }
        return tintype_video_convert(reader, isWide, start, stride, Int32(size.width), Int32(size.height))
    }
}
