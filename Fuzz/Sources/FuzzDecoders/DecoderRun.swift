import Foundation
import Synchronization
import TintypeCore

/// Everything that a decoder can be asked, of one input. Errors are its right; what crashes, leaks or goes on for ever is
/// found by the sanitizers, and what is worse than that by the checks below.
struct DecoderRun {
    private let decoder: any ImageDecoder
    private let bytes: Data
    private let choice: FuzzChoice

    /// Small, so that an input takes no time for its size alone.
    private static let limits = DecodeLimits(
        pixels: 1 << 20, side: 8192, frames: 64, scans: 40, animatedPixels: 1 << 22)
    private static let mostFrames = 8

    init(_ decoder: any ImageDecoder, _ bytes: Data) {
        self.decoder = decoder
        self.bytes = bytes
        choice = FuzzChoice(bytes)
    }

    func run() {
        let info = HeaderRun(decoder, bytes).run()
        decode(expecting: info)
        decodeAllOfIt()
        decodePart()
        salvage()
        appendInPieces(expecting: info)
        cancel()
    }

    private func decode(expecting info: ImageInfo?) {
        let image = checked { () throws(TintypeError) in
            try decoder.decode(bytes, context: DecodeContext(limits: Self.limits))
        }
        guard let image else { return }
        precondition(image.info.size == info?.size, "the header tells another size than the picture")
        play(image)
    }

    /// What is left out unless it is asked for: the whole range, Exif, the thumbnail in the file.
    private func decodeAllOfIt() {
        var options = DecodeOptions(range: .high, keepsExif: true)
        if choice.isHeads(4) {
            options.embeddedThumbnail = .whereLargeEnough
            options.size = .fit(PixelSize(width: 4, height: 4))
        }
        _ = checked { () throws(TintypeError) in
            try decoder.decode(bytes, context: DecodeContext(options: options, limits: Self.limits))
        }
    }

    /// A part of it, resized.
    private func decodePart() {
        let part = PixelRect(
            x: choice.number(below: 23), y: choice.number(below: 29),
            size: PixelSize(width: 1 + choice.number(below: 31), height: 1 + choice.number(below: 37)))
        let box = PixelSize(width: 1 + choice.number(below: 17), height: 1 + choice.number(below: 19))
        let options = DecodeOptions(
            crop: choice.isHeads(0) ? part : nil, size: .fit(box), frames: choice.isHeads(1) ? .all : .first,
            range: choice.isHeads(2) ? .high : .standard)
        let image = checked { () throws(TintypeError) in
            try decoder.decode(bytes, context: DecodeContext(options: options, limits: Self.limits))
        }
        if let image { play(image) }
    }

    private func salvage() {
        guard let salvager = decoder as? any SalvagingImageDecoder else { return }
        let image = checked { () throws(TintypeError) in
            try salvager.salvage(bytes, context: DecodeContext(limits: Self.limits))
        }
        if let image, let image { play(image) }
    }

    private func play(_ image: Image) {
        guard let animation = image.animation else { return }
        for index in (0..<min(animation.frameCount, Self.mostFrames)).reversed() {
            _ = checked { () throws(TintypeError) in try animation.frame(at: index) }
        }
    }

    private func appendInPieces(expecting info: ImageInfo?) {
        guard let incremental = decoder.makeIncrementalDecoder(context: DecodeContext(limits: Self.limits)) else {
            return
        }
        for piece in choice.pieces {
            let preview = checked { () throws(TintypeError) in try incremental.append(bytes[piece]) }
            guard let preview else { return }
            guard let preview else { continue }
            precondition(info == nil || preview.info.size == info?.size, "a preview tells another size than the header")
            play(preview)
        }
    }

    /// No one waits any more, from the first or a later question on: everything that was begun is given back.
    private func cancel() {
        let patience = FuzzPatience(questions: choice.number(below: 6))
        let context = DecodeContext(limits: Self.limits) { patience.isOver() }
        do throws(TintypeError) {
            _ = try decoder.decode(bytes, context: context)
        } catch {
            precondition(error.code != .cancelled || patience.wasOver, "cancelled, though someone waits")
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

/// What a decoder tells of the first bytes of an input, whole and cut.
struct HeaderRun {
    private let decoder: any ImageDecoder
    private let bytes: Data

    init(_ decoder: any ImageDecoder, _ bytes: Data) {
        self.decoder = decoder
        self.bytes = bytes
    }

    /// - Returns: what the whole input calls itself.
    @discardableResult func run() -> ImageInfo? {
        for length in FuzzChoice(bytes).prefixes { _ = try? decoder.info(of: bytes.prefix(length), isComplete: false) }
        do {
            let info = try decoder.info(of: bytes, isComplete: true)
            precondition(info != nil, "more bytes are wanted after the last one")
            return info
        } catch {
            return nil
        }
    }
}

/// Someone who waits until he was asked some times whether he does.
final class FuzzPatience: Sendable {
    private let left: Mutex<Int>

    init(questions: Int) {
        left = Mutex(questions)
    }

    func isOver() -> Bool {
        left.withLock { left in
            left -= 1
            return left < 0
        }
    }

    var wasOver: Bool { left.withLock { $0 < 0 } }
}
