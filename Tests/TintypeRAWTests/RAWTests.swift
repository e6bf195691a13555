import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeRAW

/// Whether the tests that need LibRaw run. A machine of CI must have it.
enum InstalledLibRaw {
    static let isPresent = (try? RAWLibrary.standard.get()) != nil
    static let isRequired = ProcessInfo.processInfo.environment["TINTYPE_CI"] != nil
    /// Whether it uses OpenMP. That of a machine of CI must.
    static let isParallel = isPresent && dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD) != nil
}

/// Develops small DNGs.
@Suite struct RAWTests {
    private static let size = PixelSize(width: 64, height: 48)

    /// The left half is reddish, the right half bluish.
    private static let colors: @Sendable (Int, Int, Int) -> UInt16 = { channel, x, _ in
        channel == 1 ? 20_000 : (channel == 0) == (x < 32) ? 40_000 : 5_000
    }

    private static func dng(_ change: (inout DNG) -> Void = { _ in }) -> Data {
        var dng = DNG(level: colors)
        change(&dng)
        return dng.data
    }

    private func decode(_ data: Data, _ size: DecodeOptions.Size = .full) throws(TintypeError) -> Image {
        let coders = ImageCoderRegistry(decoders: [RAWDecoder()])
        return try coders.decoder(for: data).decode(data, context: DecodeContext(options: DecodeOptions(size: size)))
    }

    private func error(_ data: Data, _ limits: DecodeLimits = DecodeLimits()) -> TintypeError? {
        return #expect(throws: TintypeError.self) {
            try RAWDecoder().decode(data, context: DecodeContext(limits: limits))
        }
    }

    @Test(.enabled(if: InstalledLibRaw.isRequired)) func libRawIsInstalledForCI() throws {
        _ = try RAWLibrary.standard.get()
    }

    // MARK: Images

    @Test(.enabled(if: InstalledLibRaw.isPresent)) func aRawImageIsDeveloped() throws {
        let image = try decode(Self.dng())
        #expect(image.size == Self.size && image.info.format == .raw)
        let (left, right) = (image.pixels[10, 24], image.pixels[54, 24])
        #expect(Int(left.red) > Int(left.blue) + 60 && Int(right.blue) > Int(right.red) + 60 && left.alpha == 255)
    }

    @Test(.enabled(if: InstalledLibRaw.isPresent)) func aRawImageIsUprightAndScaled() throws {
        let turned = try decode(Self.dng { $0.orientation = 6 })
        #expect(turned.size == PixelSize(width: 48, height: 64))
        #expect(turned.pixels[24, 10].red > turned.pixels[24, 10].blue)
        let small = try decode(Self.dng(), .fit(PixelSize(width: 16, height: 16)))
        #expect(small.size == PixelSize(width: 16, height: 12) && small.info.size == Self.size)
    }

    /// The header of a file states the size that developing gives, for every orientation.
    @Test(.enabled(if: InstalledLibRaw.isPresent), arguments: 1...8)
    func theHeaderStatesTheSize(_ orientation: Int) throws {
        let data = Self.dng {
            $0.orientation = orientation
            $0.active = PixelSize(width: 60, height: 40)
        }
        let image = try decode(data)
        #expect(image.size == (orientation > 4 ? PixelSize(width: 40, height: 60) : PixelSize(width: 60, height: 40)))
        #expect(try RAWDecoder().info(of: data, isComplete: true)?.size == image.size)
        #expect(image.info.size == image.size)
    }

    /// It was reported as damaged.
    @Test(.enabled(if: InstalledLibRaw.isPresent)) func anImageWithoutColorsIsGrey() throws {
        let image = try decode(
            Self.dng {
                $0.isGrey = true
                $0.level = { _, x, _ in x < 32 ? 5_000 : 40_000 }
            })
        #expect(image.size == Self.size)
        let (left, right) = (image.pixels[10, 24], image.pixels[54, 24])
        #expect(Int(right.red) > Int(left.red) + 60 && right.alpha == 255)
        for pixel in [left, right] { #expect(pixel.red == pixel.green && pixel.green == pixel.blue) }
    }

    /// The camera's white becomes grey. A bright edge keeps the automatic brightness from saturating it.
    @Test(.enabled(if: InstalledLibRaw.isPresent)) func theWhiteBalanceOfTheCameraApplies() throws {
        let image = try decode(
            Self.dng {
                $0.neutral = [5_000, 10_000, 8_000]
                $0.level = { channel, x, _ in [10_000, 20_000, 16_000][channel] * (x < 8 ? 3 : 1) }
            })
        let pixel = image.pixels[30, 24]
        let channels = [pixel.red, pixel.green, pixel.blue].map(Int.init)
        #expect((channels.max() ?? 0) - (channels.min() ?? 0) <= 4 && pixel.green < 200, "\(pixel)")
    }

    // MARK: Damage and limits

    @Test(.enabled(if: InstalledLibRaw.isPresent)) func aTruncatedOrDamagedRawImageIsAnError() {
        let data = Self.dng()
        for count in [0, 8, 100, 4000, 5000, data.count - 200] {
            #expect(error(data.prefix(count))?.code == .undecodable, "\(count)")
        }
        #expect(error(data.prefix(5000))?.message.contains("truncated") == true)
        #expect(error(Data("IIRO".utf8) + Data(count: 5000))?.message.contains("does not support") == true)
    }

    /// A limit, and how it is set for an image of 64 × 48 pixels.
    static let limits: [(limit: DecodeLimit, change: @Sendable (inout DecodeLimits) -> Void)] = [
        (.pixels, { $0.pixels = 64 * 48 - 1 }), (.side, { $0.side = 63 }),
        (.memoryBytes, { $0.memoryBytes = 64 * 48 * 25 - 1 }),
    ]

    /// A smaller size or a partial image does not bypass a limit.
    @Test(.enabled(if: InstalledLibRaw.isPresent), arguments: limits.indices)
    func exceedingALimitIsReportedByItsName(_ index: Int) {
        let (limit, change) = Self.limits[index]
        for size in [DecodeOptions.Size.full, .fit(PixelSize(width: 4, height: 4))] {
            for allowsPartial in [false, true] {
                var context = DecodeContext(options: DecodeOptions(size: size))
                context.options.allowsPartial = allowsPartial
                change(&context.limits)
                let error = expectError(.limitExceeded) {
                    try RAWDecoder().decode(Self.dng(), context: context)
                }
                #expect(error?.limit == limit)
            }
        }
    }

    @Test(.enabled(if: InstalledLibRaw.isPresent)) func anImageWithinTheLimitsIsDeveloped() throws {
        var context = DecodeContext(limits: DecodeLimits(pixels: 64 * 48, side: 64))
        context.limits.memoryBytes = 64 * 48 * 25
        #expect(try RAWDecoder().decode(Self.dng(), context: context).size == Self.size)
    }

    /// LibRaw unpacks all samples, however small the part with the image is.
    @Test(.enabled(if: InstalledLibRaw.isPresent)) func theWholeSensorIsWithinTheLimits() throws {
        let data = Self.dng {
            $0.size = PixelSize(width: 320, height: 240)
            $0.active = Self.size
        }
        #expect(try decode(data).size == Self.size)
        #expect(error(data, DecodeLimits(pixels: 10_000))?.limit == .pixels)
        #expect(error(data, DecodeLimits(side: 300))?.limit == .side)
        var limits = DecodeLimits()
        limits.memoryBytes = 150_000
        #expect(error(data, limits)?.limit == .memoryBytes)
    }

    @Test func theMemoryGrowsWithSensorImageAndResult() {
        let (sensor, active) = (PixelSize(width: 100, height: 100), PixelSize(width: 50, height: 40))
        let result = PixelSize(width: 10, height: 10)
        let mosaic = RAWHeader(sensor: sensor, active: active, size: result, isMosaic: true)
        #expect(mosaic.memoryBytes == 20_000 + 16_000 + 1500)
        let linear = RAWHeader(sensor: sensor, active: active, size: result, isMosaic: false)
        #expect(linear.memoryBytes == 80_000 + 16_000 + 1500)
    }

    // MARK: Cancellation and threads

    /// A decode that is cancelled at any of its checks ends with that, and not as damaged.
    @Test(.enabled(if: InstalledLibRaw.isPresent)) func aDecodeEndsAtEveryCancelledCheck() throws {
        let data = Self.dng()
        let checks = try CancellationChecks.cancelAtEach(upTo: 199) { isCancelled throws(TintypeError) in
            _ = try RAWDecoder().decode(data, context: DecodeContext(isCancelled: isCancelled))
        }
        // One before LibRaw's steps, those of reading, unpacking and developing, and one after them.
        #expect((checks ?? 0) >= 5, "\(String(describing: checks))")
    }

    /// A program may use OpenMP on the same thread.
    @Test(.enabled(if: InstalledLibRaw.isParallel || InstalledLibRaw.isRequired))
    func theThreadsOfTheCallersOwnWorkStay() throws {
        typealias Setter = @convention(c) (Int32) -> Void
        typealias Getter = @convention(c) () -> Int32
        _ = try decode(Self.dng())
        let library = try #require(dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD))
        let set = try #require(dlsym(library, "omp_set_num_threads"))
        let get = try #require(dlsym(library, "omp_get_max_threads"))
        let (setThreads, threads) = (unsafeBitCast(set, to: Setter.self), unsafeBitCast(get, to: Getter.self))
        let before = threads()
        defer { setThreads(before) }
        setThreads(3)
        _ = try decode(Self.dng())
        #expect(threads() == 3)
    }

    // MARK: Signatures and the library

    @Test func aRawImageIsToldFromATIFF() {
        #expect(RAWSignature.matches(Self.dng()) && RAWSignature.matches(Self.dng().prefix(4096)))
        #expect(RAWSignature.matches(Data("FUJIFILMCCD-RAW 0201".utf8)) && RAWSignature.matches(Data("IIRO".utf8)))
        #expect(RAWSignature.matches(Data("II*\0\u{10}\0\0\0CR\u{2}\0".utf8)))
        for other in ["II*\0\u{8}\0\0\0", "MM\0*", "", "\u{0}\u{0}\u{0}\u{18}ftypheic"] {
            #expect(!RAWSignature.matches(Data(other.utf8)), "\(other)")
        }
    }

    /// The first directory of a PEF is that of the sensor.
    @Test(arguments: [(32803, true), (34892, true), (2, false), (1, false), (6, false)])
    func aDirectoryOfSensorSamplesIsRaw(_ interpretation: UInt16, _ isRaw: Bool) {
        let entry: [UInt8] = [
            0x01, 0x06, 0, 3, 0, 0, 0, 1, UInt8(interpretation >> 8), UInt8(interpretation & 255), 0, 0,
        ]
        let file = Data("MM\0*".utf8) + Data([0, 0, 0, 8, 0, 1]) + Data(entry) + Data([0, 0, 0, 0])
        #expect(RAWSignature.matches(file) == isRaw)
    }

    @Test func aMissingLibraryIsNamed() {
        let error = expectError(.noCoder) { try RAWLibrary.load(["libraw_r.so.0"]) }
        #expect(error?.message.contains("LibRaw") == true)
    }
}
