import Foundation
import TintypeHummingbird
import TintypeServer

/// `tintype-server`: the image server. Its settings are environment variables, which `--settings` lists in Markdown.
@main
struct Main {
    static func main() async {
        #if Server
        switch ServerAction(arguments: CommandLine.arguments.dropFirst()) {
        case .print(let text):
            print(text)
            exit(0)
        case .refuse(let reason):
            report(reason)
            // EX_USAGE (sysexits(3)).
            exit(64)
        case .serve(let isUnsigned):
            let environment = ServerAction.environment(
                ProcessInfo.processInfo.environment, isUnsigned: isUnsigned)
            exit(await ServerProgram.run(environment: environment, report: Self.report))
        }
        #else
        Self.report("tintype-server was built without the server; build it with --traits Server")
        exit(69)
        #endif
    }

    @Sendable private static func report(_ line: String) {
        FileHandle.standardError.write(Data("tintype-server: \(line)\n".utf8))
    }
}
