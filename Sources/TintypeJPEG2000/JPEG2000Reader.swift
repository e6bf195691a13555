import CTintypeJP2
import Foundation
import TintypeColor
import TintypeCore

/// An open JPEG 2000. Used by one thread.
struct JPEG2000Reader: ~Copyable {
    private let reader: OpaquePointer
    private let boxes: JPEG2000Boxes
    /// OpenJPEG calls it as long as the reader lives.
    private let hook: CancelHook

    /// Opens a file and reads its header.
    ///
    /// - Parameter bytes: Must outlive the reader.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`,
    ///   `TintypeError.Code.noCoder` if OpenJPEG is not installed.
    init(
        _ bytes: UnsafeRawBufferPointer, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(TintypeError) {
        let library = try JPEG2000Library.standard.get().functions
        let hook = CancelHook(isCancelled)
        var message = [CChar](repeating: 0, count: Self.messageSize)
        var reader: OpaquePointer?
        let status = bytes.bindMemory(to: UInt8.self).baseAddress.map {
            tintype_jp2_open(
                library, $0, bytes.count, CancelHook.callback, hook.pointer, &reader, &message, message.count)
        }
        guard status == .ok, let reader else { throw TintypeError(status ?? .corrupt, String(cText: message)) }
        (self.reader, self.hook) = (reader, hook)
        boxes = JPEG2000Boxes(bytes)
    }

    deinit {
        tintype_jp2_close(reader)
    }

    private static let messageSize = 200

    private var header: tintype_jp2_header { tintype_jp2_get_header(reader) }

    /// The channels, with their samples once they are decoded.
    var channels: [tintype_jp2_channel] { (0..<header.channel_count).map { tintype_jp2_get_channel(reader, $0) } }

    /// The size in pixels.
    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

    /// How often the size can be halved while decoding. Between the indices of a palette lie other colours.
    var maximumReduction: Int { boxes.paletteColumns == nil ? max(Int(header.resolution_count) - 1, 0) : 0 }

    /// The properties of the image.
    var info: ImageInfo {
        let stored = channels.map { (alpha: UInt16(0), step: Int($0.step_across)) }
        let count = boxes.paletteColumns ?? stored.count
        let named = (0..<count).map { index in
            (alpha: boxes.alpha[index] ?? 0, step: index < stored.count ? stored[index].step : 1)
        }
        let layout = JPEG2000Layout(boxes.colors, named, hasProfile: boxes.hasProfile)
        var info = ImageInfo(format: .jpeg2000, size: size, hasAlpha: layout.alpha != nil)
        info.bitDepth = max(channels.map { Int($0.bits) }.max() ?? 8, 8)
        return info
    }

    /// The channels of the colours and of alpha, known after decoding. Those of a palette have replaced its indices.
    var layout: JPEG2000Layout {
        let (header, channels) = (header, channels)
        return JPEG2000Layout(
            header.colors, channels.map { ($0.alpha, Int($0.step_across)) }, hasProfile: header.profile_bytes > 0)
    }

    /// Returns the colours that the file states.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` if the profile is too large.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        let header = header
        guard let profile = header.profile, header.profile_bytes > 0 else { return .standard }
        try limits.check(profileBytes: header.profile_bytes)
        return .profile(Data(bytes: profile, count: header.profile_bytes))
    }

    /// Decodes all samples. Can be called once.
    ///
    /// - Parameter reduction: How often the size is halved; at most ``maximumReduction``.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    func decode(reduction: Int) throws(TintypeError) {
        var message = [CChar](repeating: 0, count: Self.messageSize)
        let status = tintype_jp2_decode(reader, UInt32(reduction), &message, message.count)
        guard status == .ok else { throw TintypeError(status, String(cText: message)) }
        guard channels.allSatisfy({ $0.samples != nil && $0.width > 0 && $0.height > 0 }) else {
            throw TintypeError(.corrupt, "a component has no samples")
        }
    }
}

/// What the channels of an image are.
struct JPEG2000Layout: Equatable {
    enum Model: Equatable {
        case grey
        case rgb
        /// Luma and colour differences.
        case ycc
        case cmyk
    }

    let model: Model
    /// The indices of the colour channels: as many as the model has.
    let colors: [Int]
    /// The index of the channel of alpha.
    let alpha: Int?
    let isPremultiplied: Bool

    /// - Parameters:
    ///   - stated: What the file states.
    ///   - channels: The kind of alpha and the horizontal distance of samples of each channel.
    init(_ stated: tintype_jp2_colors, _ channels: [(alpha: UInt16, step: Int)], hasProfile: Bool) {
        var colors = channels.indices.filter { channels[$0].alpha == 0 }
        var alpha = channels.indices.first { channels[$0].alpha == 1 || channels[$0].alpha == 2 }
        isPremultiplied = alpha.map { channels[$0].alpha == 2 } ?? false
        model = Self.model(stated, colors.map { channels[$0].step }, hasProfile: hasProfile)
        let wanted = model.channelCount
        // Without a statement, the channel after the colours is alpha, as in opj_decompress, FFmpeg and Pillow.
        if alpha == nil, colors.count == wanted + 1 { alpha = colors.last }
        colors = Array(colors.prefix(wanted))
        // Colours that are missing repeat the first one.
        self.colors = colors.count == wanted ? colors : [Int](repeating: colors.first ?? 0, count: wanted)
        self.alpha = alpha
    }

    private static func model(_ stated: tintype_jp2_colors, _ steps: [Int], hasProfile: Bool) -> Model {
        switch stated {
        case .grey: .grey
        case .rgb where steps.count >= 3: .rgb
        case .ycc where steps.count >= 3: .ycc
        case .cmyk where steps.count >= 4: .cmyk
        default:
            if steps.count < 3 {
                .grey
            } else if !hasProfile, steps[1] > steps[0], steps[2] > steps[0] {
                // Only colour differences have fewer samples.
                .ycc
            } else {
                .rgb
            }
        }
    }
}

extension JPEG2000Layout.Model {
    var channelCount: Int {
        switch self {
        case .grey: 1
        case .rgb, .ycc: 3
        case .cmyk: 4
        }
    }
}
