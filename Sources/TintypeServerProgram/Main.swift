import Foundation
import TintypeHummingbird
import TintypeServer

/// `tintype-server`: the image server. Its settings are environment variables, which `--settings` lists in Markdown.
@main
struct Main {
    static func main() async {
        #if Server
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.isEmpty else {
            print(SettingsTable.markdown)
            exit(arguments == ["--settings"] || arguments == ["--help"] ? 0 : 64)
        }
        exit(await ServerProgram.run(environment: ProcessInfo.processInfo.environment, report: Self.report))
        #else
        Self.report("tintype-server was built without the server; build it with --traits Server")
        exit(69)
        #endif
    }

    @Sendable private static func report(_ line: String) {
        FileHandle.standardError.write(Data("tintype-server: \(line)\n".utf8))
    }
}
