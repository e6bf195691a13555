package import Foundation
import TintypeColor
public import TintypeCore

extension ImageFormat {
    /// MP4 (ISO/IEC 14496-14), of which a frame is an image.
    public static let mp4 = ImageFormat(rawValue: "mp4", mediaType: "video/mp4", fileExtensions: ["mp4", "m4v"])
    /// QuickTime.
    public static let quickTime = ImageFormat(
        rawValue: "mov", mediaType: "video/quicktime", fileExtensions: ["mov", "qt"])
    /// WebM and Matroska.
    public static let webm = ImageFormat(rawValue: "webm", mediaType: "video/webm", fileExtensions: ["webm", "mkv"])
}

extension ImageCoderRegistry {
    /// The decoder of videos, of which it shows a frame: the first, or that at ``DecodeOptions/time``.
    public static let video = ImageCoderRegistry(decoders: [VideoDecoder()])
}

/// Decodes the poster of a video: one frame of MP4, QuickTime, WebM or Matroska as a still image, with the libraries of
/// FFmpeg.
///
/// The frame is the first one, or that of ``DecodeOptions/time``. It is upright, and has the shape in which players
/// show it. The tones of PQ and HLG are mapped. Sound, playback and alpha are out of scope.
///
/// Add it to the coders of a pipeline; it is not among those of `ImageCoderRegistry.standard`:
///
///     configuration.coders = .standard.adding(.video).sandboxed()
///
/// FFmpeg 5 is loaded when the first video is decoded: install `libavformat59` and `libswscale6` on Debian 12. Other
/// versions have other types, and are refused. Whatever is loaded, Debian's build is under the GNU General Public
/// License. The libraries decode hundreds of formats, so videos of strangers belong in a worker process (`sandboxed()`
/// of `TintypeSandbox`). Loading turns off the log of FFmpeg in the process. Decoders hold no state; any thread may use
/// one.
package struct VideoDecoder: RecognizingImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// MP4, QuickTime, WebM.
    package var formats: Set<ImageFormat> { [.mp4, .quickTime, .webm] }

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// Loads the libraries.
    package static func prepareWorker() {
        _ = VideoLibrary.standard
    }

    /// Whether an image begins like one of the containers.
    package func recognizes(_ head: Data) -> Bool { VideoContainer(head) != nil }

    /// Reads the size of the video.
    ///
    /// - Returns: `nil` if the bytes may end within the header, which many files have at their end.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`, `TintypeError.Code.noCoder` if
    ///   the libraries are not installed.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in try VideoReader(raw).info }
        } catch {
            guard !isComplete, error.code == .undecodable else { throw error }
            return nil
        }
    }

    /// Decodes the frame, at the size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or has no video that can be decoded,
    ///   `TintypeError.Code.limitExceeded`, `TintypeError.Code.noCoder` if the libraries are not installed,
    ///   `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try VideoReader(raw)
            var info = reader.info
            // A small video may be large when it is decoded: it is not a bomb.
            try context.limits.check(info)
            // Several frames that depend on each other, of up to three bytes for each pixel, and the result.
            try context.limits.checkMemory(bytesPerPixel: 16 * 3 + 2 * PixelBuffer.bytesPerPixel, of: info.size)
            let target = try DecodeTarget(info, options: context.options)
            let frame = try reader.decode(at: context.options.time, context)
            let colors = SourceColors.codePoints(primaries: frame.primaries, transfer: frame.transfer)
            let pixels: PixelBuffer
            if colors.isHighRange {
                (info.bitDepth, info.isHighRange) = (10, true)
                pixels = try reader.toneMapped(target.size, colors, context)
            } else {
                // Players show the transfer function of video like that of sRGB.
                pixels = try reader.pixels(
                    target.size, ColorConverter(.codePoints(primaries: frame.primaries, transfer: 13), .rgb))
            }
            return Image(
                pixels: try pixels.oriented(info.orientation), info: info, scale: context.options.scale ?? 1)
        }
    }
}

/// A container whose demuxer is used.
enum VideoContainer: Equatable {
    case mp4
    case quickTime
    case webm

    /// Recognizes the first bytes of a file.
    init?(_ head: Data) {
        let head = [UInt8](head.prefix(12))
        // The header of EBML (RFC 8794, 11.2.1).
        if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .webm
            return
        }
        guard head.count == 12, head[4..<8].elementsEqual("ftyp".utf8), FormatSniffer.format(of: Data(head)) == nil
        else {
            return nil
        }
        let brand = String(decoding: head[8..<12], as: UTF8.self)
        guard !Self.otherBrands.contains(brand) else { return nil }
        self = brand == "qt  " ? .quickTime : .mp4
    }

    /// Brands of images, and of sound.
    private static let otherBrands: Set<String> = [
        "mif1", "msf1", "mif2", "heic", "heix", "hevc", "hevx", "heim", "heis", "avif", "avis", "jxl ", "jp2 ", "jpx ",
        "crx ",
        "M4A ", "M4B ", "M4P ", "F4A ",
    ]

    /// The name of the demuxer in libavformat.
    var demuxer: String { self == .webm ? "matroska" : "mov" }

    var format: ImageFormat {
        switch self {
        case .mp4: .mp4
        case .quickTime: .quickTime
        case .webm: .webm
        }
    }
}
