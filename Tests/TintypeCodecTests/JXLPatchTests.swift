import Foundation
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCore
@testable import TintypeJXL

/// JPEG XLs that draw parts of earlier frames into a frame. A few bytes may state any number of them.
@Suite struct JXLPatchTests {
    /// A line of 96×48 pixels of text: `cjxl -d 2 -e 7`, which writes alias codes.
    private static let encoded = """
        /wrLQUJxIQwlAggCAIQCwGOAfoB+Sig0Fh6FawoKSgJAUDnGyGijQoE6xGj/+wu8sO9p76tYxoPUfszHrppQZsF34gSUS1B0GVDIrVET\
        EyR/bSArwQI1AS2EKOYJwdennKCIBsGQWE9AESRYmikTCsX1pMj0Y3QoslktKlSJ4YW+tsOMx9GTGP35Z+EETKqUS1mzthMTZCBOLeO4\
        BsolGxQRc+4g6xxrnzKhABlKigxQMIEEFA4SyjBuNyNgO8+HJEIRilAH/hChCEUoWGxmPyIRilCEWpVLAABUqIwybvByrufLDx0W0zau\
        M7TVtoUljM32wiBhAsCACuBg6lpL8RqCUiqA4hekD2dBwRTCl/NhoUkAQI8vg6wL9YPyEUITRBRjqBAQwg8okRSPWh5J4Mf7zw7MmYRV\
        KEoI5fwY50VHAVnwaYCrYykpaE177UbhiRysBMPYfPyOhAE4OyqkwAYAditRJPN4R+bHGGP8j/Fj/DACC6w30Ec83BowCCeUpmMfvkJi\
        guzdpjnnjxJMD3QIMx5Rs4pvJkCknFvml/Wg9pWH75oIE2bbk0RmfMuQAF1oR4ndxGf9W0yWBvX6cQ311BORSKRof5LxnrutX2jact0t\
        eokaoEhwoUf0PSOl+5k9qJN+Ta+W0tHJF3hQXjXTA4d8RwKT5wYWuvihM2ps8PaaWF/QHuWp0FLNeT09Shbu89BNYOjdIUwv/REO+M44\
        sUo35wsQNJS6D8QgHTbsdOEdtFoxFIx61C1ovtEJUQ6c8CsW/aklN1RR2aNUni1c5cUfmEWU/923YEECOHX/przYB6EOqALaJD0KRZwZ\
        q5tvOQFkm+VTVyJlKJPI8JdAh2ifr46KaH+2cyl0QwwEuNlLVRQhikne9NUg/RDidTFy1kmdeQaJTiYDBt0pjEycyRKgOyMBLwvd8cXY\
        iXYtdtSLDXjO36YBtRplSTHdmPbtZDezLHAfP17I/NAAHp6GIbEWNm/OrQZhOk5C/aJsp8jHY4Va/vuDtAUSNuyOuJXrOWca/CsP19Af\
        xWChHq+yW6puByj+3N92ckFyqptTg6fPUOXET/eIA40iTuOqxRcxOc21+2B5c1XDO9QomTyB46FZEeFf/i0hzZ/3MZEAGSTE2HEx5dOw\
        DKf9BLOG4dTH4fMdlQk5TcIDRVq3KW5ON9W+cSH7fev7dYIjBiMBrCEF/fa00PeF9a+lLpD388UD4eMGEsly5BlzYCEi+FZ6Kk2F0r+7\
        s2XE6vaCQC5E/0cyu6kGxuuQFZ6Oc10m9jiCU0T+s4jT5cGbtNUKsMU4b0gzPWpQXKTTeon58K5bTABcZuYjAH0G2D7dB4JTtAmNIN/M\
        aSimIIQreu2j2kKxkBjJ9Oqnc+8YGpC615mkIz+pqsz5TcVQwmKo0IHac8PCq4ODt6xG70MnXvUKjNHntfhMOwYt9V4F
        """

    @Test func patchesThatAnEncoderWritesAreDrawn() throws {
        let file = try #require(Data(base64Encoded: Self.encoded))
        let pixels = try JXLDecoder().decode(file, context: DecodeContext()).pixels
        #expect(pixels.size == PixelSize(width: 96, height: 48))
        // Without patches, hardly any pixel would be dark.
        let all = (0..<48).flatMap { y in (0..<96).map { x in pixels[x, y] } }
        #expect(all.count { $0.red < 128 } > 800)
    }

    @Test(arguments: [0, 4]) func aFewPatchesAreDrawn(extraChannelCount: Int) throws {
        let file = JXLPatchFile(
            patch: PixelSize(width: 3, height: 5), count: 9, extraChannelCount: extraChannelCount)
        let image = try JXLDecoder().decode(file.data, context: DecodeContext())
        #expect(image.size == file.size)
    }

    /// libjxl takes minutes for a million patches that are as high as the image, and cannot be stopped.
    @Test(arguments: [(1, 1000, 5400, 5500), (1000, 1, 279_000, 280_000), (1000, 1000, 310, 320)])
    func theTimeToDrawPatchesIsLimited(_ width: Int, _ height: Int, _ accepted: Int, _ refused: Int) {
        var file = JXLPatchFile(size: PixelSize(width: 1000, height: 1000))
        file.patch = PixelSize(width: width, height: height)
        file.count = accepted
        #expect(JXLDecoder().error(decoding: file.data) == nil)
        file.count = refused
        #expect(JXLDecoder().error(decoding: file.data)?.limit == .library)
    }

    @Test func thePatchesOfAllFramesTogetherAreLimited() {
        var file = JXLPatchFile(size: PixelSize(width: 1000, height: 1000), count: 520_000)
        #expect(JXLDecoder().error(decoding: file.data) == nil)
        file.frameCount = 3
        #expect(JXLDecoder().error(decoding: file.data)?.limit == .library)
    }

    @Test func oneFrameMayNotTakeTheTimeOfOthers() throws {
        let frame = JXLPatches.Frame(area: 1_000_000, groupColumns: 1, extraChannelCount: 0)
        let most = 64 * Double(4 << 20 + 1_000_000)
        var budget = JXLPatches.Budget()
        for _ in 0..<100 { budget.begin(frame) }
        try budget.take(1, costing: most)
        let error = #expect(throws: TintypeError.self) { try budget.take(1, costing: 1) }
        #expect(error?.limit == .library)
        budget.begin(frame)
        try budget.take(1, costing: most)
    }

    /// The file multiplies pixels of 2⁻¹²⁸, a subnormal number, 127 times by almost 2. They would become grey.
    @Test func subnormalSamplesCountAsZero() throws {
        let encoded = """
            /wo6AOgAkIMEDA4CCCUALAAbEkD6+P7//79gAFhgkACgAJ4IIAYEAABhLA8xjofv/////////////////////zckgHRxAQAAwQA=
            """
        let file = try #require(Data(base64Encoded: encoded))
        let pixels = try JXLDecoder().decode(file, context: DecodeContext()).pixels
        #expect(pixels.size == PixelSize(width: 8, height: 8))
        #expect(pixels[3, 3] == Pixel(red: 0, green: 0, blue: 0))
        // The arithmetic of the program is as before. The compiler must not compute this.
        let smallest = try #require([Float.leastNonzeroMagnitude].randomElement())
        #expect(smallest * 2 > 0)
    }

    /// libjxl would draw the patches again for each preview.
    @Test(arguments: [(3, true), (300, false)])
    func anImageWhosePatchesTakeLongHasNoPreviews(_ count: Int, _ hasPreviews: Bool) throws {
        let size = PixelSize(width: 1000, height: 1000)
        let file = JXLPatchFile(size: size, patch: size, count: count).data
        let previews = try JXLDecoder().previews(file, piece: 16)
        #expect(previews.isEmpty == !hasPreviews)
    }

    /// The area of the canvas counts, not that of a larger frame that is never shown.
    @Test func aLargeHiddenFrameHidesNoSlowPatches() throws {
        let file = JXLPatchFile(
            size: PixelSize(width: 300, height: 300), patch: PixelSize(width: 300, height: 300), count: 300)
        var wide = file
        wide.hiddenFrame = PixelSize(width: 2000, height: 2000)
        for file in [file, wide] { #expect(try JXLDecoder().previews(file.data, piece: 16).isEmpty) }
    }

    /// A libjxl without the mend of CVE-2023-35790 would take all memory.
    @Test(arguments: [(1, 0), (0, 1), (1, 1)]) func aPatchAtANegativePositionIsRefused(_ left: Int, _ up: Int) {
        let error = JXLDecoder().error(decoding: JXLPatchFile(count: 2, step: (left, up)).data)
        #expect(error?.limit == .library)
        #expect(error?.message.contains("outside of the image") == true)
    }

    /// libjxl keeps parts of the patches of earlier frames.
    @Test(arguments: [(0, 80), (4, 200)]) func everyPatchIsCharged(_ extraChannelCount: Int, _ bytesPerPatch: Int) {
        let area = 100 * 100
        for frameCount in 1...2 {
            let base = extraChannelCount == 0 ? 72 : 128 + 36 * (extraChannelCount - 1)
            let need = base * area + frameCount * (120 + 5000 * bytesPerPatch)
            let file = JXLPatchFile(count: 5000, extraChannelCount: extraChannelCount, frameCount: frameCount)
            #expect(JXLDecoder().error(decoding: file.data) { $0.memoryBytes = need } == nil)
            #expect(JXLDecoder().error(decoding: file.data) { $0.memoryBytes = need - 1 }?.limit == .memoryBytes)
        }
    }

    /// libjxl shortens longer distances, and would read other patches.
    @Test func aRepetitionFromTooFarBackIsRefused() throws {
        func first(distance: Int) throws -> Int {
            var bits = JXLBitWriter()
            // Symbols from 224 on are repetitions of three numbers and more. Distances have a code of their own.
            for (value, length) in [(1, 1), (0, 2), (0, 2), (8, 4), (1, 1), (1, 2), (0, 1), (1, 1)] {
                bits.append(value, length)
            }
            // Prefix codes of 225 symbols for numbers, and of 22 for distances: their bit lengths.
            for (value, length) in [(1, 1), (15, 4), (0, 4), (1, 1), (7, 4), (96, 7), (1, 1), (4, 4), (5, 4)] {
                bits.append(value, length)
            }
            // The symbols 0 and 224, and the bit length.
            let bitLength = Int.bitWidth - (distance - 1).leadingZeroBitCount
            for (value, length) in [(1, 2), (1, 2), (0, 8), (224, 8), (1, 2), (0, 2), (bitLength, 5)] {
                bits.append(value, length)
            }
            bits.append(1, 1)
            bits.append(distance - 1 - 1 << (bitLength - 1), bitLength - 1)
            return try bits.bytes.withTypedBytes { bytes throws(TintypeError) in
                var reader = JXLBitReader(JXLCodestream(bytes, headerEnd: 0))
                var numbers = try JXLNumberReader(&reader, contextCount: 1)
                return try numbers.next(&reader, context: 0)
            }
        }
        #expect(try first(distance: 1 << 20) == 0)
        let error = #expect(throws: TintypeError.self) { try first(distance: 1 << 20 + 1) }
        #expect(error?.limit == .library)
    }

    /// libjxl reads zeros behind the end of a section, not the bytes of the next one.
    @Test func patchesBeyondTheirSectionAreRefused() {
        let file = JXLPatchFile(patch: PixelSize(width: 3, height: 5), count: 9, missingByteCount: 16)
        #expect(JXLDecoder().error(decoding: file.data + Data(repeating: 0xFF, count: 100))?.limit == .library)
    }

    /// The whole section is checked before libjxl receives any of it.
    @Test func aPreviewIsNotShownBeforeThePatchesAreChecked() throws {
        let file = try #require(Data(base64Encoded: Self.encoded))
        for count in stride(from: 0, to: file.count, by: 7) {
            let head = file.prefix(count)
            let header = try head.withTypedBytes { raw throws(TintypeError) in
                try JXLHeader(raw, isComplete: false, counting: .nothing, DecodeLimits())
            }
            guard let header else { continue }
            let layers = try head.withTypedBytes { raw throws(TintypeError) in
                try JXLLayers(raw, header, DecodeContext())
            }
            guard let layers, !layers.endsBeforePatches else { continue }
            #expect(layers.featureBytes > 80)
        }
        #expect(try JXLDecoder().previews(file, piece: 10).last?.pixels.size == PixelSize(width: 96, height: 48))
        let slow = JXLPatchFile(
            size: PixelSize(width: 1000, height: 1000), patch: PixelSize(width: 1000, height: 1000), count: 1_000_000)
        #expect(throws: TintypeError.self) { _ = try JXLDecoder().previews(slow.data, piece: 1) }
    }

    @Test func damagedPatchesAreNoTrap() throws {
        var random = SeededRandom.printed("damaged patches")
        let file = try #require(Data(base64Encoded: Self.encoded))
        for _ in 0..<300 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = JXLDecoder().error(decoding: damaged)
        }
    }

    @Test func readingPatchesCanBeCancelled() {
        let file = JXLPatchFile(size: PixelSize(width: 1000, height: 1000), count: 300_000)
        let checks = Shared(0)
        let context = DecodeContext().cancelled(by: {
            checks.withLock { count in
                count += 1
                return count > 20
            }
        })
        let error = #expect(throws: TintypeError.self) { try JXLDecoder().decode(file.data, context: context) }
        #expect(error?.code == .cancelled && checks.now > 20)
    }
}
