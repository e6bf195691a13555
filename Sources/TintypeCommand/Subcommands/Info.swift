import ArgumentParser
import Foundation
import Tintype

struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell what pictures are.",
        discussion: """
            Reads no more of a file than its header needs, unless the picture has to be looked at; a URL is loaded \
            through the caches. The width and height are those that are displayed, orientation applied.

            Examples:
              tintype info photo.jpg
              tintype info --json https://example.org/a.png
              tintype info --palette --blurhash --thumbhash photo.jpg
            """)

    @Argument(help: ArgumentHelp("Paths of files, or URLs.", valueName: "source"))
    var sources: [SourceArgument]

    @OptionGroup var cache: CacheOptions
    @OptionGroup var http: TransferOptions

    @Flag(help: "One JSON object a line for each source.")
    var json = false

    @OptionGroup var look: LookOptions
    @OptionGroup var parts: PartialOptions

    func run() async throws {
        let inspector = Inspector(
            pipeline: ImagePipeline(
                http.applied(to: .standard(downloader: http.configuration, disk: cache.diskCache))),
            parts: parts)
        var allFine = true
        for source in sources {
            do throws(TintypeError) {
                tell(try await inspector.inspect(source, look), isOnly: sources.count == 1)
            } catch {
                allFine = false
                StandardError.write("tintype: \(error.about(source.text))")
            }
        }
        try await inspector.pipeline.flush()
        if !allFine { throw ExitCode.failure }
    }

    private func tell(_ record: InfoRecord, isOnly: Bool) {
        if json { return StandardOutput.write(json: record) }
        for line in record.lines { StandardOutput.write(line) }
        if !isOnly { StandardOutput.write("") }
    }
}
