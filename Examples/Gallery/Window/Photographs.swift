#if GTK
import CTintypeSamples
import Foundation
import Tintype

/// Photographs for a gallery: parts of the samples, a different one for each number.
package struct Photographs: Sendable {
    private let samples: [Sample]

    private struct Sample {
        let title: String
        let caption: String
        let data: Data
        let size: PixelSize
    }

    private static let titles = [
        "mountains.jpg": ("Mountains", "Ridges at dusk"), "ocean.jpg": ("Ocean", "Waves in the morning"),
        "night.jpg": ("Night", "Moon and stars over a lake"), "autumn.jpg": ("Autumn", "A wood full of leaves"),
        "dunes.jpg": ("Dunes", "A desert in the evening"), "still-life.jpg": ("Still life", "Fruit on a table"),
    ]

    private static let coders = ImageCoderRegistry.jpeg

    package init() {
        var count = 0
        let all = tintype_samples(&count)
        samples = (0..<count).compactMap { index in
            guard let sample = all?[index], let (title, caption) = Self.titles[String(cString: sample.name)] else {
                return nil
            }
            let data = Data(bytes: sample.bytes, count: sample.count)
            guard let info = try? Self.coders.info(of: data) else { return nil }
            return Sample(title: title, caption: caption, data: data, size: info.size)
        }
    }

    /// The title, such as `Mountains 42`.
    func title(_ number: Int) -> String { "\(sample(number).title) \(number)" }

    /// One sentence about what a photograph shows.
    func caption(_ number: Int) -> String { sample(number).caption }

    /// Returns a photograph as a progressive JPEG.
    ///
    /// - Parameter side: The length of the longer side in pixels, at most; parts of the samples are not enlarged.
    func jpeg(_ number: Int, side: Int) -> Data? {
        let box = PixelSize(width: side, height: side)
        let options = DecodeOptions(crop: part(number), size: .fit(box))
        var encoding = EncodeOptions(quality: 0.85)
        encoding.isProgressive = true
        let data = sample(number).data
        guard
            let image = try? Self.coders.decoder(for: data).decode(data, context: DecodeContext(options: options))
        else { return nil }
        return try? Self.coders.encode(image.pixels, as: .jpeg, options: encoding)
    }

    private func sample(_ number: Int) -> Sample { samples[number % samples.count] }

    /// The part of a sample that a photograph shows: all of it for the first ones, then others of several shapes.
    private func part(_ number: Int) -> PixelRect {
        let whole = sample(number).size
        guard number >= samples.count else { return PixelRect(x: 0, y: 0, size: whole) }
        var noise = SplitMix(state: UInt64(number))
        let shape = [1.5, 1, 0.8, 16.0 / 9][Int(noise.next() % 4)]
        let share = 0.4 + 0.5 * noise.fraction()
        let width = share * min(Double(whole.width), Double(whole.height) * shape)
        let size = PixelSize(width: Int(width), height: min(whole.height, Int(width / shape)))
        return PixelRect(
            x: Int(noise.fraction() * Double(whole.width - size.width)),
            y: Int(noise.fraction() * Double(whole.height - size.height)), size: size)
    }
}

/// Numbers that look random and are always the same.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 to 1.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
#endif
