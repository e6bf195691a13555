import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// A cancelled transform stops soon, wherever it is.
@Suite(.timeLimited) struct TransformCancellationTests {
    private static func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    /// Long-running transformers, each with an image of several strips.
    private static func works() throws -> [(any ImageTransformer, PixelBuffer)] {
        let grey = Pixel(red: 99, green: 99, blue: 99)
        let (large, small) = try (blank(300, 400), PixelBuffer.filled(grey, size: size(30, 30)))
        let white = Color(red: 255, green: 255, blue: 255)
        return [
            (ResizeTransformer(to: size(30, 40)), large),
            (ResizeTransformer(to: size(400, 400), isEnlarging: true), small),
            (ResizeTransformer(to: size(60, 60), mode: .fill, gravity: .smart), large),
            (ResizeTransformer(to: size(1, 1), filter: .box), try blank(900, 900)),
            (CropTransformer(to: PixelRect(x: 100, y: 0, size: size(200, 400))), large),
            (CropTransformer(to: size(200, 400), gravity: .smart), large),
            (RotateTransformer(degrees: 30), large), (RotateTransformer(degrees: 90), try blank(2000, 1200)),
            (FlipTransformer(horizontal: true), try blank(2000, 1200)),
            (RoundCornersTransformer(radius: 50, borderWidth: 3, borderColor: white), large),
            (CircleTransformer(), large), (TintTransformer(white, mode: .multiply), large),
            (BlurTransformer(radius: 9), large), (SharpenTransformer(radius: 9), large),
            (PixelateTransformer(side: 4), large), (ColorTransformer(.sepia), large),
            (OverlayTransformer(small), large),
            (FlattenTransformer(), large), (PadTransformer(top: 200, left: 200, bottom: 200, right: 200), small),
            (TrimTransformer(), large),
            (TransformerChain([ColorTransformer(.grey), FlattenTransformer(), BlurTransformer(radius: 2)]), large),
        ]
    }

    /// Returns an image of one colour, written directly because there are many.
    private static func blank(_ width: Int, _ height: Int) throws -> PixelBuffer {
        var writer = try PixelWriter(size: size(width, height))
        writer.withRows { _ = $0.initializeMemory(as: UInt8.self, repeating: 255) }
        return writer.finish()
    }

    /// Returns how often the transformer checks for cancellation, if the check numbered `last` reports it.
    private func asks(
        _ transformer: any ImageTransformer, _ image: PixelBuffer, upTo last: Int = .max
    ) -> (count: Int, error: TintypeError?) {
        let checks = CancellationChecks(passing: last - 1)
        var context = TransformContext(isCancelled: checks.isCancelled)
        // Several threads may check at once, so that the number would differ.
        context.lender = nil
        do throws(TintypeError) {
            _ = try context.run { () throws(TintypeError) in try transformer.transform(image) }
            return (checks.count, nil)
        } catch {
            return (checks.count, error)
        }
    }

    @Test func everyTransformerStopsWhenCancelled() throws {
        for (transformer, image) in try Self.works() {
            let (all, error) = asks(transformer, image)
            #expect(all > 1 && error == nil, "\(transformer.identifier)")
            for last in [1, all / 2, all] where last > 0 {
                let (count, error) = asks(transformer, image, upTo: last)
                #expect(error?.code == .cancelled && count == last, "\(transformer.identifier), \(last) of \(all)")
            }
        }
    }

    /// A strip is 128 kB for most kernels and 8 MB for those that only move pixels.
    @Test func cancellationChecksGrowWithTheImage() throws {
        let color = ColorTransformer(.grey)
        let (one, three) = try (asks(color, Self.blank(500, 500)).count, asks(color, Self.blank(500, 1500)).count)
        #expect(three >= 3 * one - 3)
    }

    @Test func outsideOfALoadTheContextIsNotCancelled() throws {
        #expect(!TransformContext.current.isCancelled())
        let inner = try TransformContext { true }.run { () throws(TintypeError) in
            TransformContext.current.isCancelled()
        }
        #expect(inner && !TransformContext.current.isCancelled())
    }

    @Test func aChainStopsBetweenItsParts() throws {
        let (isCancelled, reached) = (Shared(false), Shared(false))
        let chain = TransformerChain([
            ClosureTransformer(identifier: "first") { pixels in
                isCancelled.withLock { $0 = true }
                return pixels
            },
            ClosureTransformer(identifier: "second") { pixels in
                reached.withLock { $0 = true }
                return pixels
            },
        ])
        let image = try PixelBuffer.numbered(1, 1)
        expectError(.cancelled) {
            try TransformContext { isCancelled.now }.run { () throws(TintypeError) in
                try chain.transform(image)
            }
        }
        #expect(!reached.now)
    }

    @Test func cancellingTheLastTaskStopsAClosureTransformer() async throws {
        let fixture = PipelineFixture()
        fixture.answer()
        let (begun, seen) = (Shared(false), Shared<TintypeError?>(nil))
        let patient = ClosureTransformer(identifier: "patient") { pixels in
            begun.withLock { $0 = true }
            do throws(TintypeError) {
                while true {
                    try TransformContext.current.checkCancelled()
                    sched_yield()
                }
            } catch {
                seen.withLock { $0 = error }
                throw error
            }
        }
        let task = fixture.pipeline.start(fixture.request().transformed(by: patient))
        await begun.wait { $0 }
        task.cancel()
        await seen.wait { $0 != nil }
        #expect(seen.now?.code == .cancelled)
    }

    @Test func aFrameStopsBetweenItsTransforms() throws {
        let frames = [1, 2].map { _ in
            AnimationFrame(rect: PixelRect(x: 0, y: 0, size: Self.size(1, 1)), duration: 0.1)
        }
        let drawn = DrawnAnimation(
            canvas: Self.size(1, 1), frames: frames, images: try [.numbered(1, 1), .numbered(1, 1)])
        let (isCancelled, later) = (Shared(false), Shared(0))
        let animation = try #require(try drawn.decode(Data(), context: DecodeContext()).animation)
            .transformed(
                by: ClosureTransformer(identifier: "first") { pixels in
                    isCancelled.withLock { $0 = later.now > 0 }
                    return pixels
                }
            ).transformed(
                by: ClosureTransformer(identifier: "later") { pixels in
                    later.withLock { $0 += 1 }
                    return pixels
                })
        expectError(.cancelled) {
            try animation.frame(at: 1, isCancelled: { isCancelled.now })
        }
        #expect(later.now == 1)
    }
}
