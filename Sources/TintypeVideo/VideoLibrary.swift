import CTintypeVideo
import Foundation
import TintypeCore

/// The libraries of FFmpeg, loaded at the first video.
struct VideoLibrary: Sendable {
    private let formats: RuntimeLibrary
    private let scaler: RuntimeLibrary

    /// The system's libraries, or the error of loading them.
    static let standard = Result { () throws(TintypeError) in try VideoLibrary() }

    /// libavformat, through which the functions of libavcodec and libavutil are found.
    var functions: OpaquePointer { formats.functions }
    /// libswscale.
    var scalerFunctions: OpaquePointer { scaler.functions }

    #if canImport(Darwin)
    private static let folders = ["", "/opt/homebrew/lib/", "/usr/local/lib/"]
    private static let formatFiles = folders.map { "\($0)libavformat.59.dylib" }
    private static let scalerFiles = folders.map { "\($0)libswscale.6.dylib" }
    #else
    private static let formatFiles = ["libavformat.so.59"]
    private static let scalerFiles = ["libswscale.so.6"]
    #endif

    private init() throws(TintypeError) {
        formats = try RuntimeLibrary(
            Self.formatFiles, functions: .init(tintype_video_function_names()),
            .init("libavformat of FFmpeg 5, which reads videos", packages: "libavformat59 on Debian 12"))
        scaler = try RuntimeLibrary(
            Self.scalerFiles, functions: .init(tintype_video_scaler_function_names()),
            .init("libswscale of FFmpeg 5, which converts frames of videos", packages: "libswscale6 on Debian 12"))
        guard tintype_video_is_supported(formats.functions) else {
            throw TintypeError(
                .noCoder, stage: .decode,
                "the libraries of FFmpeg do not belong together: install libavformat59 of Debian")
        }
    }
}

extension TintypeError {
    /// Creates the error for a status other than `ok`.
    init(_ status: tintype_video_status, _ reason: String) {
        let reason = reason.printable
        switch status {
        case .memory: self.init(.outOfMemory, stage: .decode, "not enough memory to decode a video")
        case .cancelled: self = .cancelled
        case .unsupported: self.init(.undecodable, stage: .decode, "the video cannot be decoded: \(reason)")
        case .corrupt, .ok: self.init(.undecodable, stage: .decode, "the video is damaged or truncated: \(reason)")
        }
    }
}
