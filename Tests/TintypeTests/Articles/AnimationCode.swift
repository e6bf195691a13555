import Foundation
import Tintype

// The code of the article Animation. `DocumentCodeTests` compares the two.

/// Plays the animation of an image back and forth at half its speed. Keep the player while it plays.
@MainActor func play(_ image: Image, draw: @escaping @MainActor (PixelBuffer) -> Void) -> AnimationPlayer? {
    guard let animation = image.animation else {
        draw(image.pixels)
        return nil
    }
    var settings = PlaybackSettings()
    (settings.rate, settings.mode) = (0.5, .bounce)
    let player = AnimationPlayer(animation, settings: settings)
    player.onFrame = { _, pixels in draw(pixels) }
    player.play()
    return player
}
