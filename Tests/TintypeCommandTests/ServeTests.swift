import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import TintypeCommand

/// `tintype serve`.
@Suite(.timeLimited) struct ServeTests {
    @Test(
        arguments: [
            ("/opt/bin/tintype", "/bin:/usr/bin", ["/opt/bin", "/bin", "/usr/bin"]),
            ("/opt/bin/tintype", nil, ["/opt/bin"]), (nil, "/bin", ["/bin"]), (nil, nil, []),
            ("/opt/tintype", ":.:bin::/bin/", ["/opt", "/bin"]),
        ] as [(String?, String?, [String])])
    func theServerIsBesideTheCommandOrInPath(_ command: String?, _ path: String?, _ folders: [String]) {
        let search = ServerProgramSearch(command: command.map { URL(filePath: $0) }, searchPath: path)
        #expect(search.paths == folders.map { "\($0)/tintype-server" })
        #expect(
            search.first { $0 == "/bin/tintype-server" } == (folders.contains("/bin") ? "/bin/tintype-server" : nil))
    }

    @Test(arguments: [[], ["--unsigned"], ["--settings"], ["--unsigned", "--settings"]] as [[String]])
    func optionsArePassedOn(_ arguments: [String]) throws {
        #expect(try Serve.parse(arguments).arguments == arguments)
    }

    @Test func otherOptionsAreRefused() async throws {
        let run = try await CommandRun.tintype("serve", "--port", "80")
        #expect(run.status == 64 && run.error.contains("--port"))
    }

    #if Server
    @Test func theServerOfTheBuildIsRun() async throws {
        let run = try await CommandRun.tintype("serve", "--settings")
        #expect(run.status == 0 && run.output.contains("`TINTYPE_BIND`") && run.error.isEmpty)
    }

    /// Keys and no signatures contradict each other, so the server refuses both.
    @Test func anUnsignedServerIsAskedFor() async throws {
        // The server refuses variables that it does not know, such as those of these tests.
        let script = """
            for name in $(env | sed -n 's/^\\(TINTYPE_[A-Z_]*\\)=.*/\\1/p'); do unset "$name"; done
            TINTYPE_KEY=aa TINTYPE_SALT=bb "$0" serve --unsigned
            """
        let run = try await CommandRun.shell(script, [])
        #expect(run.status == 64 && run.error.contains("TINTYPE_UNSIGNED: expected false because there are keys"))
    }

    @Test func theSettingsAreThoseOfTheEnvironment() async throws {
        let run = try await CommandRun.tintype("serve", environment: ["TINTYPE_QUALITY": "many"])
        #expect(run.status == 64 && run.error.contains("tintype-server: ") && run.error.contains("TINTYPE_QUALITY"))
    }
    #endif

    @Test func aMissingServerIsReported() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path(percentEncoded: false)
        let script = #"cp -- "$0" "\#(path)/tintype" && PATH=/none "\#(path)/tintype" serve"#
        let run = try await CommandRun.shell(script, [])
        #expect(run.status == 69 && run.error.contains("tintype-server is not installed: it is neither in \(path)"))
    }
}
