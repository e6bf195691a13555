import Testing
import TintypeTesting

@testable import TintypeCore

/// The exact output of transformers, the same on every machine.
///
/// Changing a transformer on purpose changes its digest here. A different machine, math library or compiler must not.
@Suite struct GoldenTests {
    private static func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    private static let expected: [(any ImageTransformer, String)] = [
        (ResizeTransformer(to: size(61, 43), mode: .stretch), "339q0dy2kx4ld-1qlp74e680gpv"),
        (ResizeTransformer(to: size(61, 43), mode: .stretch, filter: .box), "nd150zpeoh1a-ggcs6l4lh10f"),
        (ResizeTransformer(to: size(61, 43), mode: .stretch, filter: .bilinear), "hj6fbwpoxzh2-nczhzecgcxuj"),
        (ResizeTransformer(to: size(61, 43), mode: .stretch, filter: .catmullRom), "1d78krwinwrho-1bxqwt84fkn01"),
        (ResizeTransformer(to: size(311, 223), mode: .stretch, isEnlarging: true), "3aajotpb5872n-6jwihhe7dr0g"),
        (ResizeTransformer(to: size(1, 1), mode: .stretch), "5y36j75n4uxi-10xnjbwzqjjqe"),
        (CropTransformer(to: size(90, 80), gravity: .smart), "1vg1l5oj8srfb-1suc1cldmswr3"),
        (RotateTransformer(degrees: 30), "38eh98341esjt-156anoglws5ex"),
        (RotateTransformer(degrees: -101.7, isFitting: false), "mzoxfkyiuj4l-1vyq5leezrphp"),
        (RotateTransformer(degrees: 90), "d4xymj8ueppj-26qzx6xpa8pzt"),
        (BlurTransformer(radius: 3.3), "snv6szuhnoar-263ldaf8px8e4"),
        (ColorTransformer(brightness: 0.1, contrast: 1.2, saturation: 0.7), "33nstkzl21z95-jf481umek61b"),
        (
            TintTransformer(Color(red: 200, green: 30, blue: 90, alpha: 99), mode: .softLight),
            "3bfxeb04tkgpy-2k6683eaylrhf"
        ),
        (RoundCornersTransformer(radius: 33.3, borderWidth: 2.5, borderColor: .white), "t09o95xbwy9y-w7lj718tu34b"),
    ]

    @Test(arguments: expected.indices) func everyMachineProducesTheSameBits(_ index: Int) throws {
        let (transformer, digest) = Self.expected[index]
        var random = SeededRandom(seed: 1)
        let image = try PixelBuffer.noise(187, 131, &random)
        let result = try PixelDigest(transformer.transform(image)).description
        #expect(result == digest, "\(transformer.identifier)")
    }
}
