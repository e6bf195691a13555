import Foundation
import TintypeCore

// What a decoder in a worker can do: the same as the decoder that it wraps.

extension SandboxedDecoder: ImageDecoder {
    var formats: Set<ImageFormat> { base.formats }

    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try run(.info(isComplete: isComplete), bytes, DecodeContext()) { result, _ throws(WorkerProcess.Failure) in
            try info(result)
        }
    }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try run(.decode, bytes, context) {
            result, lease throws(WorkerProcess.Failure) -> Result<Image, TintypeError>? in
            guard case .image(let image) = result else { return nil }
            return try self.image(image, bytes, context, lease, reopen: .openFrames)
        }.get()
    }

    func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        // It has received no bytes, so it is safe to make one here.
        switch base.makeIncrementalDecoder(context: context) {
        case nil: nil
        case is IncrementalAnimation: IncrementalAnimation(decoder: self, context: context)
        default: SandboxedPreviews(self, context)
        }
    }
}

extension SandboxedDecoder: RecognizingImageDecoder {
    /// Recognizes images in this process, which reads only their first bytes.
    func recognizes(_ head: Data) -> Bool { (base as? any RecognizingImageDecoder)?.recognizes(head) ?? false }

    func recognizes(_ head: Data, _ marks: RecognitionMarks) -> Bool {
        (base as? any RecognizingImageDecoder)?.recognizes(head, marks) ?? false
    }

    /// 0 for a decoder that does not recognize images, so that it is not asked.
    var headLength: Int { (base as? any RecognizingImageDecoder)?.headLength ?? 0 }
}

// The worker crops what a decoder cannot crop itself.
extension SandboxedDecoder: PartialImageDecoder {}

extension SandboxedDecoder: LimitedInfoDecoder {
    func info(of bytes: Data, context: DecodeContext) throws(TintypeError) -> ImageInfo? {
        let isLimited = base is any LimitedInfoDecoder
        return try run(isLimited ? .limitedInfo : .info(isComplete: true), bytes, context) {
            result, _ throws(WorkerProcess.Failure) in
            try info(result)
        }
    }
}

extension SandboxedDecoder: VerifyingImageDecoder {
    func verifiedInfo(of bytes: Data, context: DecodeContext) throws(TintypeError) -> ImageInfo? {
        guard base is any VerifyingImageDecoder else { return nil }
        return try run(.verifiedInfo, bytes, context) { result, _ throws(WorkerProcess.Failure) in try info(result) }
    }
}

extension SandboxedDecoder: ImageCollectionDecoder {
    func verifyImages(in bytes: Data, context: DecodeContext) throws(TintypeError) {
        guard base is any ImageCollectionDecoder else { return }
        try run(.verifyImages, bytes, context) { result, _ -> Void? in
            guard case .nothing = result else { return nil }
            return ()
        }
    }
}

extension SandboxedDecoder: SalvagingImageDecoder {
    func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        guard base is any SalvagingImageDecoder else { return nil }
        return try run(.salvage, bytes, context) {
            result, lease throws(WorkerProcess.Failure) -> Result<Image?, TintypeError>? in
            switch result {
            case .nothing: return .success(nil)
            case .image(let image):
                return try self.image(image, bytes, context, lease, reopen: .salvage).map { Optional($0) }
            default: return nil
            }
        }.get()
    }
}

extension SandboxedDecoder: XMPDecoder {
    func xmp(of bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> Data? {
        guard base is any XMPDecoder else { return nil }
        return try run(.xmp, bytes, DecodeContext(limits: limits)) { result, _ -> Data?? in
            switch result {
            // An image can be shown without it.
            case .data(let data): .some(data.count <= limits.exifBytes ? data : nil)
            case .nothing: .some(nil)
            default: nil
            }
        }
    }
}

extension SandboxedDecoder: ProgressiveAnimationDecoder {
    func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
        try openFrames(bytes, context, .openFrames)
    }

    func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        let isCancelled = TransformContext.current.isCancelled
        let cancellable = context.cancelled { isCancelled() || context.isCancelled() }
        return try run(.openArrivedFrames, bytes, cancellable) {
            result, lease throws(WorkerProcess.Failure) -> ArrivedFrames?? in
            switch result {
            case .nothing: return .some(nil)
            case .frames(let frames, let info?):
                let info = try checked(info)
                try check(frames, info, context.limits)
                let decoder = SandboxedFrameDecoder(self, bytes, context, .openArrivedFrames, frames, lease)
                return ArrivedFrames(info: info, decoder: decoder)
            default: return nil
            }
        }
    }
}
