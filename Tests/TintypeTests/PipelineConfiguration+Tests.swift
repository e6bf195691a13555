import Foundation
import Tintype

extension PipelineConfiguration {
    /// Returns the standard configuration; with `TINTYPE_SANDBOX=all`, all images are decoded in workers.
    static func tested(
        downloader: DownloaderConfiguration = DownloaderConfiguration(), memory: MemoryCache? = MemoryCache(),
        disk: DiskCache?
    ) -> PipelineConfiguration {
        let policy = ProcessInfo.processInfo.environment["TINTYPE_SANDBOX"].flatMap(SandboxPolicy.init)
        return .standard(
            downloader: downloader, memory: memory, disk: disk, sandbox: policy.map { SandboxConfiguration($0) })
    }
}
