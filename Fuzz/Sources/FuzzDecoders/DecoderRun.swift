import Foundation
import Synchronization

@testable import TintypeCore

/// Calls every function of a decoder with one input.
///
/// Thrown errors are fine. The sanitizers find crashes, leaks and endless loops; the preconditions below find
/// contradictions.
struct DecoderRun {
    private let decoder: any ImageDecoder
    private let bytes: Data
    private let choice: FuzzChoice

    /// Small, so that no input takes long for its size alone.
    private static let limits = DecodeLimits(
        pixels: 1 << 20, side: 8192, frames: 64, scans: 40, animatedPixels: 1 << 22)
    private static let maximumFrames = 8

    init(_ decoder: any ImageDecoder, _ bytes: Data) {
        self.decoder = decoder
        self.bytes = bytes
        choice = FuzzChoice(bytes)
    }

    func run() {
        let info = HeaderRun(decoder, bytes).run()
        decode(expecting: info)
        decodeWithAllOptions()
        decodePart()
        salvage()
        verify()
        appendInPieces(expecting: info)
        cancel()
    }

    private func decode(expecting info: ImageInfo?) {
        let image = checked { () throws(TintypeError) in
            try decoder.decode(bytes, context: DecodeContext(limits: Self.limits))
        }
        guard let image else { return }
        precondition(image.info.size == info?.size, "the size in the header differs from the size of the image")
        play(image)
    }

    /// Decodes with what requests must ask for: the full range, Exif data, the embedded thumbnail, and no damage.
    private func decodeWithAllOptions() {
        var options = DecodeOptions(range: .high, keepsExif: true)
        options.page = choice.isHeads(8) ? choice.number(below: 3) : 0
        if choice.isHeads(7) { options.damageTolerance = .none }
        if choice.isHeads(4) {
            options.embeddedThumbnail = .whereLargeEnough
            options.size = .fit(PixelSize(width: 4, height: 4))
        }
        _ = checked { () throws(TintypeError) in
            try decoder.decode(bytes, context: DecodeContext(options: options, limits: Self.limits))
        }
    }

    /// Decodes a part, resized.
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

    /// Verifies without decoding. Whatever is verified must decode without damage.
    private func verify() {
        guard let verifier = decoder as? any VerifyingImageDecoder else { return }
        var context = DecodeContext(limits: Self.limits)
        let info = checked { () throws(TintypeError) in try verifier.verifiedInfo(of: bytes, context: context) }
        guard let info, let info else { return }
        context.options.damageTolerance = .none
        let image = checked { () throws(TintypeError) in try decoder.decode(bytes, context: context) }
        precondition(image?.info.size == info.size, "an image was verified that is damaged")
    }

    private func play(_ image: Image) {
        guard let animation = image.animation else { return }
        for index in (0..<min(animation.frameCount, Self.maximumFrames)).reversed() {
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
            precondition(
                info == nil || preview.info.size == info?.size,
                "the size of a preview differs from the size in the header")
            play(preview)
        }
    }

    /// Cancels at the first or a later check; the leak check then finds what was not freed.
    private func cancel() {
        let cancellation = FuzzCancellation(checks: choice.number(below: 6))
        let context = DecodeContext(limits: Self.limits) { cancellation.isCancelled() }
        do throws(TintypeError) {
            _ = try decoder.decode(bytes, context: context)
        } catch {
            precondition(
                error.code != .cancelled || cancellation.wasCancelled,
                "the decode reports a cancellation that was not requested")
        }
    }

    /// Returns the result of `body`, or `nil` if it throws. Nothing was cancelled, so the error must not be a
    /// cancellation.
    private func checked<Value>(_ body: () throws(TintypeError) -> Value) -> Value? {
        do throws(TintypeError) {
            return try body()
        } catch {
            precondition(error.code != .cancelled, "\(error)")
            return nil
        }
    }
}

/// Reads the header of an input from prefixes and from the whole.
struct HeaderRun {
    private let decoder: any ImageDecoder
    private let bytes: Data

    init(_ decoder: any ImageDecoder, _ bytes: Data) {
        self.decoder = decoder
        self.bytes = bytes
    }

    /// - Returns: The information about the whole input, or `nil` if it is not an image.
    @discardableResult func run() -> ImageInfo? {
        for length in FuzzChoice(bytes).prefixes { _ = try? decoder.info(of: bytes.prefix(length), isComplete: false) }
        do {
            let info = try decoder.info(of: bytes, isComplete: true)
            precondition(info != nil, "a complete file is reported as incomplete")
            return info
        } catch {
            return nil
        }
    }
}

/// A cancellation that takes effect after a number of checks.
final class FuzzCancellation: Sendable {
    private let left: Mutex<Int>

    init(checks: Int) {
        left = Mutex(checks)
    }

    func isCancelled() -> Bool {
        left.withLock { left in
            left -= 1
            return left < 0
        }
    }

    var wasCancelled: Bool { left.withLock { $0 < 0 } }
}
