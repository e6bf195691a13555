import CBenchmarkControls
import Foundation
import Synchronization
import Tintype
import TintypeCore
import TintypeTesting

/// Whole loads through a pipeline, beside the same work without one.
enum LoadRows {
    /// Arguments: where the images come from, and a folder of images. From `network`, also the URL of an nginx that
    /// serves the folder.
    ///
    /// One repetition loads each image once, one after the other, without a memory cache. The control reads, or
    /// transfers with libcurl, and decodes on a thread of its own.
    static func load(_ arguments: [String]) async throws -> Contest {
        let kind = try arguments.argument(0), folder = URL(filePath: try arguments.argument(1))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
        let files = names.map { folder.appending(path: $0) }
        let urls = kind == "network" ? try names.map { try url("\(try arguments.argument(2))/\($0)") } : files
        var configuration = PipelineConfiguration.standard(memory: nil, disk: nil, sandbox: nil)
        if kind == "disk" {
            let disk = DiskCache(directory: try Scratch.makeFolder())
            configuration.cache = ImageCache(memory: nil, disk: disk)
            // No loader accepts a source, so that a miss is an error.
            configuration.loaders = []
            for url in files {
                disk.store(CacheEntry(data: try Data(contentsOf: url), format: .jpeg), for: try key(url))
            }
            try await disk.flush()
        }
        let pipeline = ImagePipeline(configuration)
        let sources = kind == "disk" ? try files.map(remote) : urls
        var contest = Contest()
        let loadAll = {
            for url in sources { _ = try await pipeline.image(for: ImageRequest(url: url)) }
        }
        contest.sides["ours"] = { for _ in 0..<$0 { try await loadAll() } }
        contest.sides["control"] = try control(kind, files, urls)
        contest.values["allocations"] = {
            control_count_allocations()
            try await loadAll()
            return Double(control_counted_allocations()) / Double(files.count)
        }
        let bare = try control(kind, files, urls)
        contest.values["allocations of the control"] = {
            control_count_allocations()
            try await bare(1)
            return Double(control_counted_allocations()) / Double(files.count)
        }
        return contest
    }

    private static func control(_ kind: String, _ files: [URL], _ urls: [URL]) throws -> (Int) async throws -> Void {
        guard kind == "network" else {
            let paths = files.map { $0.path(percentEncoded: false) }
            return { count in
                for _ in 0..<count { for path in paths { try await ControlThread.decode { try PlainFile.read(path) } } }
            }
        }
        guard let client = control_client_create(1) else { throw BenchmarkError("no client") }
        let texts = urls.map { UnsafePointer(strdup($0.absoluteString)) }
        let bodies = try files.map { try Data(contentsOf: $0) }
        let curl = Curl(client: client, texts: texts)
        return { count in
            for _ in 0..<count {
                for (index, body) in bodies.enumerated() {
                    try await ControlThread.decode {
                        try curl.load(index, byteCount: body.count)
                        return body
                    }
                }
            }
        }
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw BenchmarkError("not a URL: \(text)") }
        return url
    }

    private static func remote(_ file: URL) throws -> URL {
        try url("https://images.example.com/\(file.lastPathComponent)")
    }

    private static func key(_ file: URL) throws -> CacheKey { ImageRequest(url: try remote(file)).key }

    // MARK: Waiters

    /// One repetition: a thousand callers wait for the same image, which arrives when all of them wait.
    static func coalescing(_ arguments: [String]) throws -> Contest {
        let loader = FakeLoader()
        var configuration = PipelineConfiguration()
        configuration.coders = .standard
        configuration.loaders = [loader]
        configuration.cache = ImageCache(memory: nil)
        let pipeline = ImagePipeline(configuration)
        let bytes = try PNGEncoder().encode(
            try .filled(Pixel(red: 1, green: 2, blue: 3)), as: .png, options: EncodeOptions())
        let number = Counter()
        var contest = Contest()
        contest.sides["ours"] = { count in
            for _ in 0..<count {
                let request = ImageRequest(url: try url("https://images.example.com/\(number.increment()).png"))
                let gate = Gate()
                loader.setAnswer(.gated(gate, .data(bytes)), for: request.source.identity)
                let tasks = (0..<1_000).map { _ in pipeline.start(request) }
                gate.open()
                for task in tasks { _ = try await task.response }
                try check(loader.count(request.source.identity) == 1, "more than one load")
            }
        }
        return contest
    }

    // MARK: Stages

    /// Arguments: the URL of an image. Writes when each stage of its first load began and ended, in milliseconds.
    static func waterfall(_ arguments: [String]) throws -> Contest {
        let source = try url(try arguments.argument(0))
        var contest = Contest()
        contest.outputs["ours"] = { file in
            let stages = StageTimes()
            let disk = DiskCache(directory: try Scratch.makeFolder())
            var configuration = PipelineConfiguration.standard(memory: MemoryCache(), disk: disk)
            configuration.observers = [stages]
            let pipeline = ImagePipeline(configuration)
            let request = ImageRequest(url: source).fitting(width: 256, height: 256)
            _ = try await pipeline.image(for: request)
            try await pipeline.flush()
            try JSONEncoder().encode(stages.times.withLock { $0 }).write(to: file)
            return nil
        }
        return contest
    }
}

/// Records the stages of one load.
private final class StageTimes: PipelineObserver {
    struct Time: Codable {
        let stage: String
        let began: Double
        let ended: Double
    }

    let times = Mutex<[Time]>([])
    private let began = TimeSource.system.uptime()

    func observe(_ event: PipelineEvent) {
        guard case .stageEnded(let run, let outcome) = event else { return }
        let start = (run.began - began) / .milliseconds(1)
        let time = Time(
            stage: run.stage.rawValue, began: start, ended: start + outcome.duration / .milliseconds(1))
        times.withLock { $0.append(time) }
    }
}

/// A plain client of libcurl. It lasts as long as the program, so nothing is released.
///
/// `@unchecked Sendable` because the row that uses it waits for each load before the next.
private final class Curl: @unchecked Sendable {
    private let client: OpaquePointer
    private let texts: [UnsafePointer<CChar>?]

    init(client: OpaquePointer, texts: [UnsafePointer<CChar>?]) {
        self.client = client
        self.texts = texts
    }

    func load(_ index: Int, byteCount: Int) throws {
        var text = texts[index]
        try check(control_client_load(client, &text, 1) == byteCount)
    }
}

/// Blocking work outside the cooperative threads, for the controls.
private enum ControlThread {
    private static let queue = DispatchQueue(label: "control", attributes: .concurrent)

    static func decode(_ bytes: @escaping @Sendable () throws -> Data) async throws {
        _ = try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(
                    with: Result {
                        let bytes = try bytes()
                        let decoder = try CodecRows.coders.decoder(for: bytes)
                        return try decoder.decode(bytes, context: DecodeContext())
                    })
            }
        }
    }
}
