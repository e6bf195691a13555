import Foundation
import TintypeCore

/// Everything that a decoder can be asked, of one input. Errors are its right; what crashes, leaks or goes on for ever is
/// found by the sanitizers, and what is worse than that by the checks below.
struct DecoderRun {
    private let decoder: any ImageDecoder
    private let bytes: Data
    /// What an input leaves to chance: the part, the size, where it is cut.
    private let choice: Int

    /// Small, so that an input takes no time for its size alone.
    private static let limits = DecodeLimits(
        pixels: 1 << 20, side: 8192, frames: 64, scans: 40, animatedPixels: 1 << 22)
    private static let mostFrames = 8

    init(_ decoder: any ImageDecoder, _ bytes: Data) {
        self.decoder = decoder
        self.bytes = bytes
        choice = bytes.reduce(bytes.count) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
    }

    func run() {
        let info = checked { () throws(TintypeError) in try decoder.info(of: bytes, isComplete: true) } ?? nil
        _ = checked { () throws(TintypeError) in
            try decoder.info(of: bytes.prefix(choice % (bytes.count + 1)), isComplete: false)
        }
        let image = checked { () throws(TintypeError) in try decoder.decode(bytes, DecodeContext(limits: Self.limits)) }
        if let image {
            precondition(image.info.size == info?.size, "the header tells another size than the picture")
            play(image)
        }
        decodePart()
        salvage()
        appendInPieces()
    }

    /// A part of it, resized.
    private func decodePart() {
        let part = PixelRect(
            x: choice % 23, y: choice % 29, size: PixelSize(width: 1 + choice % 31, height: 1 + choice % 37))
        let box = PixelSize(width: 1 + choice % 17, height: 1 + choice % 19)
        let options = DecodeOptions(
            crop: choice & 1 == 0 ? part : nil, size: .fit(box), frames: choice & 2 == 0 ? .all : .first)
        let image = checked { () throws(TintypeError) in
            try decoder.decode(bytes, DecodeContext(options: options, limits: Self.limits))
        }
        if let image { play(image) }
    }

    private func salvage() {
        guard let salvager = decoder as? any SalvagingImageDecoder else { return }
        let image = checked { () throws(TintypeError) in
            try salvager.salvage(bytes, DecodeContext(limits: Self.limits))
        }
        if let image, let image { play(image) }
    }

    private func play(_ image: Image) {
        guard let animation = image.animation else { return }
        for index in (0..<min(animation.frameCount, Self.mostFrames)).reversed() {
            _ = checked { () throws(TintypeError) in try animation.frame(at: index) }
        }
    }

    private func appendInPieces() {
        guard let incremental = decoder.makeIncrementalDecoder(DecodeContext(limits: Self.limits)) else { return }
        let piece = max(1, bytes.count / (1 + choice % 7))
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let next = bytes[start..<min(start + piece, bytes.count)]
            guard let preview = checked({ () throws(TintypeError) in try incremental.append(next) }) else { return }
            if let preview { play(preview) }
        }
    }

    /// No one has cancelled, and there is memory.
    private func checked<Value>(_ body: () throws(TintypeError) -> Value) -> Value? {
        do throws(TintypeError) {
            return try body()
        } catch {
            precondition(error.code != .cancelled, "\(error)")
            return nil
        }
    }
}
