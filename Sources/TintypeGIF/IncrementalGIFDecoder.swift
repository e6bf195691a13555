import Foundation
import TintypeCore

/// Shows a GIF while it arrives: its first image row by row or pass by pass, then whole images.
///
/// Used by one thread at a time: the lock is there to say so to the compiler, and is never waited for.
final class IncrementalGIFDecoder: IncrementalImageDecoder {
    private let context: DecodeContext
    private let images: IncrementalAnimation
    private let first = Locked(GIFFirstImage.head(Data()))

    init(_ context: DecodeContext) {
        self.context = context
        images = IncrementalAnimation(decoder: GIFDecoder(), context)
    }

    func append(_ bytes: Data) throws(TintypeError) -> Image? {
        if let image = try images.append(bytes) {
            first.withLock { $0 = .done }
            return image
        }
        let context = context
        guard let arrived = try first.withLock({ first throws(TintypeError) in try first.append(bytes, context) })
        else { return nil }
        return try GIFDecoder().salvagedAnimation(Data(), context) { _, _ in arrived }
    }
}
