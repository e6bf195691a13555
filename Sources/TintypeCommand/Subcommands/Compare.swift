import ArgumentParser
import Foundation
import Tintype

/// `tintype compare`: measures how much two images differ.
struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Measure how much two images differ.",
        discussion: """
            Reports PSNR (the peak signal-to-noise ratio in dB), SSIM (the structural similarity of the luma, 1 for equal \
            images), DSSIM (half of 1 − SSIM), the largest difference of a channel and the number of pixels that \
            differ. For transparent images, SSIM is the lower of the values on a white and a black background. \
            Animations are compared by their first frames. Both images must have the same size.

            Examples:
              tintype compare photo.png photo.jpg
              tintype compare before.png after.png --difference difference.png
              tintype compare --min-ssim 0.95 --json photo.png photo.webp
            """)

    @Argument(help: ArgumentHelp("The path of a file, a URL, or - for standard input.", valueName: "first"))
    var first: SourceArgument

    @Argument(help: ArgumentHelp("The path of a file, a URL, or - for standard input.", valueName: "second"))
    var second: SourceArgument

    @Option(
        help: ArgumentHelp("Write an image with the differences of all channels to this file.", valueName: "file"),
        transform: PathArgument.parsing(expecting: PathArgument.expectation))
    var difference: PathArgument?

    @Option(help: ArgumentHelp("Exit with status 1 if SSIM is below this number.", valueName: "0-1"))
    var minSsim: Double?

    @Flag(help: "Write a JSON object.")
    var json = false

    @OptionGroup(title: "Cache", visibility: .rare) var cache: CacheOptions
    @OptionGroup var terminal: TerminalOptions
    @OptionGroup(title: "Transfers", visibility: .rare) var transfer: TransferOptions

    private struct Record: Encodable {
        let first: String
        let second: String
        let width: Int
        let height: Int
        /// `nil`, which stands for infinity, for equal images.
        let psnr: Double?
        let ssim: Double
        let dssim: Double
        let maximumDifference: Int
        let differingPixels: Int
    }

    func validate() throws {
        if let minSsim, !(0...1).contains(minSsim) {
            throw ValidationError("--min-ssim: expected a number from 0 to 1, got \(minSsim)")
        }
        guard StandardInputUse([first, second]).isPossible else {
            throw ValidationError("-: \(StandardInputUse.explanation)")
        }
        guard let difference else { return }
        guard let format = ImageFormat(fileExtension: URL(filePath: difference.path).pathExtension),
            ImageCoderRegistry.standard.encodableFormats.contains(format)
        else {
            throw ValidationError(
                "--difference: the extension of '\(difference.path)' names no format that can be written, such as png")
        }
    }

    func run() async throws {
        let pipeline = transfer.pipeline(disk: cache.diskCache, until: .shared)
        let comparison: ImageComparison
        do throws(TintypeError) {
            comparison = try await compare(pipeline)
        } catch {
            // The received part of an interrupted transfer is on disk before the command ends.
            await pipeline.flush()
            throw CommandFailure(error, FailureHint(transfer: transfer))
        }
        await pipeline.flush()
        if let minSsim, comparison.structuralSimilarity < minSsim { throw ExitCode.failure }
    }

    /// Loads and compares the images, and writes the results.
    private func compare(_ pipeline: InterruptiblePipeline) async throws(TintypeError) -> ImageComparison {
        let (left, right) = (try await pixels(of: first, pipeline), try await pixels(of: second, pipeline))
        guard left.size == right.size else {
            throw TintypeError(
                .transformFailed, stage: .transform,
                "\(Self.name(first)) is \(left.size), \(Self.name(second)) is \(right.size); resize one of them with "
                    + "convert --resize to compare them")
        }
        let comparison = try await WorkQueue.pixels.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            try ImageComparison(left, right) { () throws(TintypeError) in try pipeline.interruption.check() }
        }
        try await writeDifference(left, right, pipeline.pipeline)
        try report(comparison, left.size)
        return comparison
    }

    private static func name(_ source: SourceArgument) -> String { SourceArgument.displayName(of: source.text) }

    private func pixels(
        of source: SourceArgument, _ pipeline: InterruptiblePipeline
    ) async throws(TintypeError) -> PixelBuffer {
        do throws(TintypeError) {
            var request = ImageRequest(source: try pipeline.source(source)).frames(.first)
            request.policy.caching.rendition = CacheRules(memory: .off, disk: .off)
            return try await pipeline.image(for: request).pixels
        } catch {
            throw error.about(Self.name(source))
        }
    }

    private func writeDifference(
        _ left: PixelBuffer, _ right: PixelBuffer, _ pipeline: ImagePipeline
    ) async throws(TintypeError) {
        guard let path = difference?.path, let format = ImageFormat(fileExtension: URL(filePath: path).pathExtension)
        else { return }
        let pixels = try ImageComparison.differenceImage(left, right)
        let image = Image(pixels: pixels, info: ImageInfo(format: format, size: pixels.size))
        try await OutputFile.write(try await pipeline.encode(image, as: format), to: path)
    }

    private func report(_ comparison: ImageComparison, _ size: PixelSize) throws(TintypeError) {
        if json {
            return try StandardOutput.write(
                json: Record(
                    first: Self.name(first), second: Self.name(second), width: size.width, height: size.height,
                    psnr: comparison.peakSignalToNoiseRatio, ssim: comparison.structuralSimilarity,
                    dssim: comparison.structuralDissimilarity, maximumDifference: comparison.maximumDifference,
                    differingPixels: comparison.differingPixels))
        }
        let ratio = comparison.peakSignalToNoiseRatio.map { String(format: "%.2f dB", $0) } ?? "∞ (equal pixels)"
        let properties = [
            ("psnr     ", ratio),
            ("ssim     ", String(format: "%.5f", comparison.structuralSimilarity)),
            ("dssim    ", String(format: "%.5f", comparison.structuralDissimilarity)),
            ("maximum  ", "\(comparison.maximumDifference) of 255"),
            ("differ   ", "\(comparison.differingPixels) of \(size.area) pixels"),
        ]
        try StandardOutput.write(
            lines: properties.map { label, value in StyledText(label, .secondary) + StyledText(value) })
    }
}
