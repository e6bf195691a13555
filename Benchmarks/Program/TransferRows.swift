import CBenchmarkControls
import Foundation
import Tintype
import TintypeCore
import TintypeTesting

/// Transfers without decoding.
enum TransferRows {
    /// Arguments: the URL of a file on an nginx, its size in bytes, and how many transfers run at once. One repetition
    /// is 1,000 transfers over kept connections; the control is a plain program over libcurl.
    static func bodies(_ arguments: [String]) throws -> Contest {
        let origin = try arguments.argument(0), size = try arguments.number(1), width = try arguments.number(2)
        // The URLs differ, because equal ones would share a transfer.
        let urls = (0..<1_000).compactMap { URL(string: "\(origin)?\($0)") }
        let texts = urls.map { UnsafePointer(strdup($0.absoluteString)) }
        var configuration = DownloaderConfiguration()
        configuration.maximumConcurrentDownloads = width
        configuration.connectionsPerHost = width
        let downloader = Downloader(configuration)
        guard let client = control_client_create(width) else { throw BenchmarkError("no client") }
        let load = {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<width {
                    group.addTask {
                        for number in stride(from: worker, to: urls.count, by: width) {
                            let data = try await downloader.download(.url(urls[number])).bytes.data
                            try check(data.count == size)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        var contest = Contest()
        contest.sides["ours"] = { for _ in 0..<$0 { try await load() } }
        contest.add("libcurl") {
            let count = texts.withUnsafeBufferPointer { control_client_load(client, $0.baseAddress, $0.count) }
            try check(count == size * urls.count)
        }
        contest.values["allocations"] = {
            control_count_allocations()
            try await load()
            return Double(control_counted_allocations()) / Double(urls.count)
        }
        return contest
    }

    /// One repetition: 10,000 callers wait for one transfer from an origin in the same process, which answers when all
    /// of them wait.
    static func waiters(_ arguments: [String]) async throws -> Contest {
        let origin = try await Origin.start()
        let downloader = Downloader()
        let number = Counter()
        var contest = Contest()
        contest.sides["ours"] = { count in
            for _ in 0..<count {
                let gate = OriginGate(), path = "/\(number.increment())"
                origin.serve(
                    path, response: .image(Data(count: 30 << 10), type: "image/png").setting(\.gate, to: gate))
                let downloads = (0..<10_000).map { _ in downloader.download(.url(origin.url(path))) }
                gate.open()
                for download in downloads { try check(try await download.bytes.data.count == 30 << 10) }
                try check(origin.requestCount(path) == 1, "more than one request")
            }
        }
        return contest
    }

    /// Arguments: the URL of a small image, and that of the same image followed by zeros up to 1 GB. One repetition
    /// loads the latter through a pipeline to the disk cache.
    static func large(_ arguments: [String]) async throws -> Contest {
        let urls = try arguments.map { text in
            guard let url = URL(string: text) else { throw BenchmarkError("not a URL: \(text)") }
            return url
        }
        let (small, large) = (URL(string: try arguments.argument(0)), urls.last)
        guard let small, let large else { throw BenchmarkError("expected two URLs") }
        var downloader = DownloaderConfiguration()
        downloader.maximumByteCount = 2 << 30
        var configuration = PipelineConfiguration.standard(memory: nil, disk: nil)
        configuration.maximumByteCount = 2 << 30
        configuration.loaders = [Downloader(downloader)]
        let disk = DiskCache(directory: try Scratch.makeFolder(), limits: DiskLimits(byteCount: 4 << 30, age: nil))
        configuration.cache = ImageCache(memory: nil, disk: disk)
        let pipeline = ImagePipeline(configuration)
        let store = { (url: URL) in
            try check(try await pipeline.response(for: ImageRequest(url: url)).origin == .network)
            try await pipeline.flush()
            try await disk.remove(ImageRequest(url: url).key)
        }
        var contest = Contest()
        contest.sides["ours"] = { for _ in 0..<$0 { try await store(large) } }
        contest.values["MB added"] = {
            try await store(small)
            let before = try ProcessMemory.kilobytes("VmHWM")
            try await store(large)
            return Double(try ProcessMemory.kilobytes("VmHWM") - before) / 1e3
        }
        return contest
    }
}

/// The status of this process, as Linux reports it.
enum ProcessMemory {
    /// Returns the number of a field; sizes are in KB.
    static func kilobytes(_ field: String) throws -> Int {
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") }
        guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            throw BenchmarkError("no \(field)")
        }
        return number
    }

    /// Sets the peak to what is used now.
    static func resetPeak() throws { try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs")) }
}
