import Foundation
import Tintype

extension MappingSymbols {
    /// Animated pictures, what plays them, and formats that came with them.
    static var animation: [String: Any] {
        [animatedPictures, players, playback].reduce(into: [:]) { all, part in all.merge(part) { first, _ in first } }
    }

    private static var animatedPictures: [String: Any] {
        [
            "AnimatedImage": AnimatedImage.self, "AnimatedImageDecoder": (any AnimatedImageDecoder).self,
            "FrameDecoder": (any FrameDecoder).self, "GIFDecoder": GIFDecoder.self,
            "ProgressiveAnimationDecoder": (any ProgressiveAnimationDecoder).self,
            "SVGDecoder": SVGDecoder.self, "TimedImage": TimedImage.self, "WebPDecoder": WebPDecoder.self,
            "AnimatedImage.durations": \AnimatedImage.durations,
            "AnimatedImage.frame(at:isCancelled:)": { (animation: AnimatedImage) throws in
                try animation.frame(at: 0, isCancelled: { false })
            },
            "AnimatedImage.frameCount": \AnimatedImage.frameCount,
            "AnimatedImage.init(_:loopCount:)": { (pictures: [TimedImage]) throws in
                try AnimatedImage(pictures, loopCount: 0)
            },
            "AnimatedImage.loopCount": \AnimatedImage.loopCount, "AnimatedImage.pool": \AnimatedImage.pool,
            "AnimatedImage.preloadFrames(isCancelled:)": { (animation: AnimatedImage) throws in
                try animation.preloadFrames(isCancelled: { false })
            },
            "AnimatedImage.transformed(by:)": { (animation: AnimatedImage, transformer: any ImageTransformer) throws in
                try animation.transformed(by: transformer)
            },
            "AnimatedImage.unloadFrames()": { (animation: AnimatedImage) in animation.unloadFrames() },
            "AnimatedImageDecoder.makeFrameDecoder(_:_:)": { (decoder: any AnimatedImageDecoder) throws in
                try decoder.makeFrameDecoder(Data(), DecodeContext())
            },
            "FrameDuration.played(_:)": FrameDuration.played(_:),
            "Image.animation": \Image.animation, "Image.isAnimated": \Image.isAnimated,
        ]
    }

    private static var players: [String: Any] {
        [
            "AnimationPlayer": AnimationPlayer.self,
            "AnimationPlayer.currentFrame": { @MainActor (player: AnimationPlayer) in player.currentFrame },
            "AnimationPlayer.finishedLoops": { @MainActor (player: AnimationPlayer) in player.finishedLoops },
            "AnimationPlayer.isVisible": { @MainActor (player: AnimationPlayer) in player.isVisible },
            "AnimationPlayer.onEnd": { @MainActor (player: AnimationPlayer) in player.onEnd?() },
            "AnimationPlayer.onFrame": { @MainActor (player: AnimationPlayer) in
                player.onFrame?(player.shownFrame, player.shownPixels)
            },
            "AnimationPlayer.onLoop": { @MainActor (player: AnimationPlayer) in player.onLoop?(1) },
            "AnimationPlayer.pause()": { @MainActor (player: AnimationPlayer) in player.pause() },
            "AnimationPlayer.play()": { @MainActor (player: AnimationPlayer) in player.play() },
            "AnimationPlayer.replace(with:)": { @MainActor (player: AnimationPlayer, next: AnimatedImage) in
                player.replace(with: next)
            },
            "AnimationPlayer.reset()": { @MainActor (player: AnimationPlayer) in player.reset() },
            "AnimationPlayer.seek(to:finishedLoops:)": { @MainActor (player: AnimationPlayer) throws in
                try player.seek(to: 0, finishedLoops: 0)
            },
            "AnimationPlayer.stop()": { @MainActor (player: AnimationPlayer) in player.stop() },
        ]
    }

    private static var playback: [String: Any] {
        [
            "FrameBudget": FrameBudget.self, "FrameMemory": FrameMemory.self, "FramePool": FramePool.self,
            "FrameMemory.limit": \FrameMemory.limit, "FramePool.clear()": { (pool: FramePool) in pool.clear() },
            "PlaybackMode": PlaybackMode.self, "PlaybackTimer": (any PlaybackTimer).self,
            "SystemPlaybackTimer": SystemPlaybackTimer.self,
            "PlaybackSettings.budget": \PlaybackSettings.budget,
            "PlaybackSettings.lateness": \PlaybackSettings.lateness,
            "PlaybackSettings.loopCount": \PlaybackSettings.loopCount,
            "PlaybackSettings.mode": \PlaybackSettings.mode, "PlaybackSettings.rate": \PlaybackSettings.rate,
            "PlaybackSettings.rewindsWhenStopped": \PlaybackSettings.rewindsWhenStopped,
        ]
    }
}
