import Foundation
import Tintype
import TintypeCairo
import TintypeSDWebImage

extension MappingSymbols {
    /// Decoders, encoders and their registry.
    static var coding: [String: Any] {
        [
            "ImageDecoder": (any ImageDecoder).self, "IncrementalImageDecoder": (any IncrementalImageDecoder).self,
            "ImageEncoder": (any ImageEncoder).self, "EncodeOptions": EncodeOptions.self,
            "DecodeContext": DecodeContext.self, "DecodeLimits": DecodeLimits.self,
            "ImageCoderRegistry": ImageCoderRegistry.self,
            "ImageCoderRegistry.jpeg": ImageCoderRegistry.jpeg, "ImageCoderRegistry.png": ImageCoderRegistry.png,
            "ImageDecoder.decode(_:context:)":
                { (decoder: any ImageDecoder, bytes: Data) throws in try decoder.decode(bytes, context: DecodeContext())
                },
            "ImageDecoder.formats": { (decoder: any ImageDecoder) in decoder.formats },
            "ImageDecoder.makeIncrementalDecoder(context:)": { (decoder: any ImageDecoder) in
                decoder.makeIncrementalDecoder(context: DecodeContext())
            },
            "IncrementalImageDecoder.append(_:)":
                { (decoder: any IncrementalImageDecoder, bytes: Data) throws in try decoder.append(bytes) },
            "ImageEncoder.encode(_:as:options:)": { (encoder: any ImageEncoder, pixels: PixelBuffer) throws in
                try encoder.encode(pixels, as: .png, options: EncodeOptions())
            },
            "ImageEncoder.formats": { (encoder: any ImageEncoder) in encoder.formats },
            "EncodeOptions.background": \EncodeOptions.background, "EncodeOptions.frames": \EncodeOptions.frames,
            "EncodeOptions.quality": \EncodeOptions.quality, "EncodeOptions.range": \EncodeOptions.range,
            "DecodeLimits.check(_:byteCount:)": DecodeLimits.check(_:byteCount:),
            "ImageCoderRegistry.adding(decoders:encoders:)": ImageCoderRegistry.adding(decoders:encoders:),
            "ImageCoderRegistry.decoder(for:options:name:)": ImageCoderRegistry.decoder(for:options:name:),
            "ImageCoderRegistry.encoder(for:)": ImageCoderRegistry.encoder(for:),
            "ImageCoderRegistry.info(of:isComplete:limits:name:)": ImageCoderRegistry.info(of:isComplete:limits:name:),
            "ImageCoderRegistry.init(decoders:encoders:)": ImageCoderRegistry.init(decoders:encoders:),
            "ImageCoderRegistry.standard": ImageCoderRegistry.standard,
            "ImageCoderRegistry.format(fileExtension:)": ImageCoderRegistry.format(fileExtension:),
            "DecodeOptions.formatHint": \DecodeOptions.formatHint, "DecodeOptions.hintUse": \DecodeOptions.hintUse,
            "DecodeOptions.HintUse.always": DecodeOptions.HintUse.always,
            "RecognitionMarks.fileExtension": \RecognitionMarks.fileExtension,
            "RecognizingImageDecoder.recognizes(_:_:)": {
                (decoder: any RecognizingImageDecoder, head: Data, marks: RecognitionMarks) in
                decoder.recognizes(head, marks)
            },
            "FormatSniffer.format(of:)": FormatSniffer.format(of:),
        ]
    }

    /// The formats other than JPEG and PNG.
    static var codecs: [String: Any] {
        [
            "ImageCoderRegistry.avif": ImageCoderRegistry.avif, "ImageCoderRegistry.bmp": ImageCoderRegistry.bmp,
            "ImageCoderRegistry.gif": ImageCoderRegistry.gif, "ImageCoderRegistry.heic": ImageCoderRegistry.heic,
            "ImageCoderRegistry.ico": ImageCoderRegistry.ico, "ImageCoderRegistry.jxl": ImageCoderRegistry.jxl,
            "ImageCoderRegistry.svg": ImageCoderRegistry.svg, "ImageCoderRegistry.tiff": ImageCoderRegistry.tiff,
            "ImageCoderRegistry.webp": ImageCoderRegistry.webp,
            "Image.highRange": \Image.highRange, "Image.pixels": \Image.pixels,
            "EncodeOptions.embedsThumbnail": \EncodeOptions.embedsThumbnail,
            "EncodeOptions.frames": \EncodeOptions.frames,
            "EncodeOptions.maximumSize": \EncodeOptions.maximumSize,
            "EncodeOptions.maximumByteCount": \EncodeOptions.maximumByteCount,
            "ImageCoderRegistry.encode(_:as:options:)": ImageCoderRegistry.encode(_:as:options:)
                as (ImageCoderRegistry) -> (PixelBuffer, ImageFormat, EncodeOptions) throws(TintypeError) -> Data,
            "ImagePipeline.encode(_:as:options:priority:)": { (pipeline: ImagePipeline, image: Image) in
                try await pipeline.encode(image, as: .png)
            },
            "AnimatedImageEncoder.encode(_:as:options:)": {
                (encoder: any AnimatedImageEncoder, animation: AnimatedImage) in
                try encoder.encode(animation, as: .gif, options: EncodeOptions())
            },
        ]
    }

    /// Images, pixels and transformers.
    static var images: [String: Any] {
        [
            "Image": Image.self, "Orientation": Orientation.self, "PixelBuffer": PixelBuffer.self,
            "PixelSize": PixelSize.self, "ImageTransformer": (any ImageTransformer).self,
            "ResizeTransformer": ResizeTransformer.self,
            "Image.info": \Image.info, "Image.isThumbnail": \Image.isThumbnail, "Image.memoryCost": \Image.memoryCost,
            "Image.scale": \Image.scale, "Image.size": \Image.size,
            "ImageInfo.durations": \ImageInfo.durations, "ImageInfo.format": \ImageInfo.format,
            "ImageInfo.frameCount": \ImageInfo.frameCount, "ImageInfo.hasAlpha": \ImageInfo.hasAlpha,
            "ImageInfo.isHighRange": \ImageInfo.isHighRange,
            "ImageInfo.loopCount": \ImageInfo.loopCount,
            "ImageFormat.avif": ImageFormat.avif, "ImageFormat.bmp": ImageFormat.bmp,
            "ImageFormat.fileExtension": \ImageFormat.fileExtension, "ImageFormat.gif": ImageFormat.gif,
            "ImageFormat.heic": ImageFormat.heic, "ImageFormat.ico": ImageFormat.ico,
            "ImageFormat.init(fileExtension:)": ImageFormat.init(fileExtension:),
            "ImageFormat.isVector": \ImageFormat.isVector, "ImageFormat.jpeg": ImageFormat.jpeg,
            "ImageFormat.jxl": ImageFormat.jxl, "ImageFormat.mediaType": \ImageFormat.mediaType,
            "ImageFormat.png": ImageFormat.png, "ImageFormat.svg": ImageFormat.svg,
            "ImageFormat.tiff": ImageFormat.tiff, "ImageFormat.webp": ImageFormat.webp,
            "PixelBuffer.color(x:y:)": PixelBuffer.color(x:y:), "PixelBuffer.colors(in:)": PixelBuffer.colors(in:),
            "Color": Color.self, "BlendMode": BlendMode.self, "CropTransformer": CropTransformer.self,
            "RotateTransformer": RotateTransformer.self, "RoundCornersTransformer": RoundCornersTransformer.self,
            "CircleTransformer": CircleTransformer.self, "FlipTransformer": FlipTransformer.self,
            "TintTransformer": TintTransformer.self, "BlurTransformer": BlurTransformer.self,
            "ColorTransformer": ColorTransformer.self, "ClosureTransformer": ClosureTransformer.self,
            "CairoCanvas": CairoCanvas.self, "DecodeOptions.oversized": \DecodeOptions.oversized,
            "EncodeOptions.highRangeForm": \EncodeOptions.highRangeForm,
            "TransformerChain": TransformerChain.self, "SDWebImageKeys": SDWebImageKeys.self,
            "PixelSize.fitted(into:)": PixelSize.fitted(into:),
            "ImageTransformer.identifier": { (transformer: any ImageTransformer) in transformer.identifier },
            "ImageTransformer.transform(_:)": { (transformer: any ImageTransformer, pixels: PixelBuffer) throws in
                try transformer.transform(pixels)
            },
            "ResizeTransformer.transform(_:)": ResizeTransformer.transform(_:),
            "ResizeTransformer.Mode.fill": ResizeTransformer.Mode.fill,
            "ResizeTransformer.Mode.fit": ResizeTransformer.Mode.fit,
            "ResizeTransformer.Mode.stretch": ResizeTransformer.Mode.stretch,
        ]
    }

    /// Animated images and their players.
    static var animation: [String: Any] {
        [animatedImages, players, playback].reduce(into: [:]) { all, part in all.merge(part) { first, _ in first } }
    }

    private static var animatedImages: [String: Any] {
        [
            "AnimatedImage": AnimatedImage.self, "AnimatedImageDecoder": (any AnimatedImageDecoder).self,
            "FrameDecoder": (any FrameDecoder).self, "TimedImage": TimedImage.self,
            "AnimatedImage.durations": \AnimatedImage.durations,
            "AnimatedImage.frame(at:isCancelled:)": { (animation: AnimatedImage) throws in
                try animation.frame(at: 0, isCancelled: { false })
            },
            "AnimatedImage.frameCount": \AnimatedImage.frameCount,
            "AnimatedImage.init(_:loopCount:)": { (images: [TimedImage]) throws in
                try AnimatedImage(images, loopCount: 0)
            },
            "AnimatedImage.loopCount": \AnimatedImage.loopCount,
            "AnimatedImage.clearFrames()": { (animation: AnimatedImage) in animation.clearFrames() },
            "AnimatedImage.preloadFrames(isCancelled:)": { (animation: AnimatedImage) throws in
                try animation.preloadFrames(isCancelled: { false })
            },
            "AnimatedImage.transformed(by:)": { (animation: AnimatedImage, transformer: any ImageTransformer) throws in
                try animation.transformed(by: transformer)
            },
            "AnimatedImage.unloadFrames()": { (animation: AnimatedImage) in animation.unloadFrames() },
            "AnimatedImageDecoder.makeFrameDecoder(_:context:)": { (decoder: any AnimatedImageDecoder) throws in
                try decoder.makeFrameDecoder(Data(), context: DecodeContext())
            },
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
            "FrameBudget": FrameBudget.self, "FrameMemory": FrameMemory.self,
            "FrameMemory.limit": \FrameMemory.limit,
            "PlaybackMode": PlaybackMode.self, "PlaybackTimer": (any PlaybackTimer).self,
            "PlaybackSettings.budget": \PlaybackSettings.budget,
            "PlaybackSettings.lateness": \PlaybackSettings.lateness,
            "PlaybackSettings.loopCount": \PlaybackSettings.loopCount,
            "PlaybackSettings.mode": \PlaybackSettings.mode, "PlaybackSettings.rate": \PlaybackSettings.rate,
            "PlaybackSettings.rewindsWhenStopped": \PlaybackSettings.rewindsWhenStopped,
        ]
    }
}
