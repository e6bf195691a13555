#if GTK
import CGTK
import Foundation
import GalleryWindow
import Tintype
import TintypeGTK

/// Scrolls through the gallery by frame. First it measures the main loop, then it compares the pixels of every cell in
/// every frame with the number of its image, each for some seconds; then the same with a slow server that fails often,
/// and with a directory.
@MainActor final class GalleryTest {
    private let seconds: Double
    private var failures: [String] = []

    init(seconds: Double) {
        self.seconds = seconds
    }

    func run() async -> Int32 {
        do {
            try await scroll("fast server", try await GalleryServer(count: 5000))
            let slow = try await GalleryServer(
                count: 5000, delay: { .milliseconds($0 * 7919 % 400) }, fails: { $0 % 7 == 3 })
            try await scroll("slow server that fails", slow)
            let folder = URL.temporaryDirectory.appending(path: "tintype-gallery-\(getpid())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let directory = try await GalleryServer(count: 10_000, in: folder)
            try await scroll("directory of 10,000 images", directory, limit: .milliseconds(4))
        } catch {
            failures.append("\(error)")
        }
        for failure in failures { print("FAILED: \(failure)") }
        print(failures.isEmpty ? "passed" : "\(failures.count) failures")
        return failures.isEmpty ? 0 : 1
    }

    /// Returns to the system what malloc keeps although it is free.
    private static func trim() {
        typealias Trim = @convention(c) (Int) -> Int32
        dlsym(nil, "malloc_trim").map { _ = unsafeBitCast($0, to: Trim.self)(0) }
    }

    /// The memory of the process, in bytes (proc(5), statm).
    private static var residentBytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (fields?.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// - Parameter limit: The most processor time of a turn of the main loop, without drawing.
    private func scroll(
        _ name: String, _ server: GalleryServer, limit: Duration = .milliseconds(3)
    ) async throws {
        let memory = MemoryCache(limits: CacheLimits(cost: 32 << 20))
        let pipeline = ImagePipeline(.standard(memory: memory, disk: nil))
        let gallery = Gallery(server: server, pipeline: pipeline)
        gallery.open(width: 1100, height: 800)
        guard let window = gallery.window else { return }
        // GTK takes up to 35 ms to open this window and to close the former one, which is no part of scrolling.
        try await Task.sleep(for: .seconds(1))

        let stalls = Stalls()
        stalls.start(gtk_widget_get_frame_clock(window))
        await Scroll(gallery, seconds: seconds).run()
        stalls.stop()
        print(
            "\(name): \(stalls.frames) frames, \(stalls.drawing / max(stalls.frames, 1)) drawing each;",
            "longest stall outside drawing \(stalls.longest), \(stalls.longestReal) in real time;",
            "\(stalls.missedFrames) frames missed")
        if stalls.longest > limit { failures.append("\(name): a stall of \(stalls.longest)") }
        // Longer than other programs on the machine may hold the processor.
        if stalls.longestReal > .milliseconds(250) { failures.append("\(name): it waited for \(stalls.longestReal)") }
        if stalls.missedFrames > 0 { failures.append("\(name): \(stalls.missedFrames) frames missed") }

        let check = CellCheck(gallery, window)
        check.start()
        await Scroll(gallery, seconds: seconds).run()
        check.stop()
        print(
            "\(name): \(check.frames) frames checked, \(check.images) images and \(check.blanks) empty cells in them,",
            "\(check.seen.count) different images")
        failures += check.failures.map { "\(name): \($0)" }
        // A jump a second at 60 frames a second shows 20 others; a slow machine checks fewer frames.
        if check.seen.count < Int(seconds * 5) { failures.append("\(name): only \(check.seen.count) images were seen") }
        if memory.totalCost > memory.limits.cost { failures.append("\(name): \(memory.totalCost) bytes in memory") }
        let resident = Self.residentBytes
        Self.trim()
        print(
            "\(name): \(resident >> 20) MB resident, \(Self.residentBytes >> 20) MB without free memory,",
            "\(memory.totalCost >> 20) MB of them in the memory cache")
        // 80 MB are libraries (43 MB LLVM, for Mesa), 31 MB the memory cache, the rest textures and surfaces.
        if resident > 400 << 20 { failures.append("\(name): \(resident >> 20) MB resident") }
        if Self.residentBytes > 300 << 20 { failures.append("\(name): \(Self.residentBytes >> 20) MB resident") }
        gtk_window_destroy(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self))
    }
}

/// Scrolls a gallery by frame: slowly, fast, and by jumps.
@MainActor private final class Scroll {
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>?
    private let widget: UnsafeMutablePointer<GtkWidget>?
    private let seconds: Double
    private var frame = 0
    private var direction = 1.0

    init(_ gallery: Gallery, seconds: Double) {
        widget = gallery.grid.widget
        adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(gallery.grid.widget))
        self.seconds = seconds
    }

    func run() async {
        let owner = Unmanaged.passUnretained(self).toOpaque()
        let tick = gtk_widget_add_tick_callback(
            widget,
            { _, _, owner in
                guard let owner else { return 0 }
                let scroll = Unmanaged<Scroll>.fromOpaque(owner).takeUnretainedValue()
                MainActor.assumeIsolated { scroll.step() }
                return 1
            }, owner, nil)
        try? await Task.sleep(for: .seconds(seconds))
        gtk_widget_remove_tick_callback(widget, tick)
    }

    /// Moves by a frame.
    private func step() {
        frame += 1
        let (value, end) = (gtk_adjustment_get_value(adjustment), gtk_adjustment_get_upper(adjustment) - 800)
        if frame % 60 == 0 {
            return gtk_adjustment_set_value(adjustment, Double(frame * 7919 % max(1, Int(end))))
        }
        switch frame % 600 {
        case ..<200: move(from: value, by: 12, end)
        case ..<400: move(from: value, by: 150, end)
        // Stands still, so that all images arrive.
        default: break
        }
    }

    private func move(from value: Double, by distance: Double, _ end: Double) {
        if value <= 0 { direction = 1 }
        if value >= end { direction = -1 }
        gtk_adjustment_set_value(adjustment, value + direction * distance)
    }
}
#endif
