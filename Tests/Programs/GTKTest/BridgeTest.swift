#if GTK
import CGTK
import Foundation
import Tintype
import TintypeGTK

/// Keeps an application alive that has no window.
@MainActor func hold(_ application: OpaquePointer) {
    g_application_hold(UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self))
}

/// Makes a window draw all the time, and jobs of the main actor run all the time, in the ways in which one could starve
/// the other. The test that runs it fails by its time limit if one does.
@MainActor final class BridgeTest {
    private let window = gtk_window_new()
    private let frameCount = 20
    private let start = ContinuousClock.now
    /// The time that drawing takes.
    private var drawTime = Duration.zero

    func run() async -> Int32 {
        openWindow()
        await hop()
        await queueSuccessors()
        await floodFromOutside()
        await drawSlowly()
        return 0
    }

    private func openWindow() {
        let area = gtk_drawing_area_new()
        let owner = Unmanaged.passUnretained(self).toOpaque()
        gtk_drawing_area_set_draw_func(
            UnsafeMutableRawPointer(area)?.assumingMemoryBound(to: GtkDrawingArea.self),
            { _, _, _, _, owner in
                guard let owner else { return }
                let test = Unmanaged<BridgeTest>.fromOpaque(owner).takeUnretainedValue()
                MainActor.assumeIsolated { BridgeTest.compute(for: test.drawTime) }
            }, owner, nil)
        gtk_widget_add_tick_callback(
            area,
            { area, _, _ in
                gtk_widget_queue_draw(area)
                return 1
            }, nil, nil)
        let typed = UnsafeMutableRawPointer(window)?.assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_child(typed, area)
        gtk_window_present(typed)
    }

    /// The number of frames drawn so far.
    private var frames: Int {
        gtk_widget_get_frame_clock(window).map { Int(gdk_frame_clock_get_frame_counter($0)) } ?? 0
    }

    /// Hops to the main actor and back.
    private func hop() async {
        let clock = ContinuousClock()
        let time = await clock.measure {
            await Task.detached {
                for _ in 0..<1000 { await MainActor.run { precondition(Thread.isMainThread) } }
            }.value
        }
        report("hops: 1000 in \(time)")
    }

    /// Each job queues the next one.
    private func queueSuccessors() async {
        let end = frames + frameCount
        var jobs = 0
        while frames < end {
            jobs += 1
            Self.compute(for: .milliseconds(1))
            await Task.yield()
        }
        report("jobs that queue their successors: \(frameCount) frames beside \(jobs) jobs")
    }

    /// Another thread queues more jobs than there is time for.
    private func floodFromOutside() async {
        let end = frames + frameCount
        let flood = Task.detached {
            while !Task.isCancelled {
                DispatchQueue.main.async { BridgeTest.compute(for: .milliseconds(1)) }
                try? await Task.sleep(for: .milliseconds(2))
            }
        }
        while frames < end { try? await Task.sleep(for: .milliseconds(10)) }
        flood.cancel()
        report("a flood of jobs: \(frameCount) frames")
    }

    /// A frame takes longer than there is time for.
    private func drawSlowly() async {
        drawTime = .milliseconds(30)
        let start = frames
        var hops = 0
        while hops < frameCount || frames < start + 5 {
            await Task.detached { await MainActor.run {} }.value
            hops += 1
        }
        report("slow drawing: \(hops) hops beside \(frames - start) frames")
        await loadImage()
        report("slow drawing: an image was loaded")
    }

    /// Loads an image in a paintable that has been drawn.
    private func loadImage() async {
        let size = PixelSize(width: 8, height: 8)
        guard let pixels = try? PixelBuffer.makeRows(size, { _, row in row.update(repeating: 0xFF00_00FF) }),
            let png = try? PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        else { return }
        let paintable = ImagePaintable(pipeline: ImagePipeline(.standard(memory: MemoryCache(), disk: nil)))
        paintable.load(ImageRequest(source: .bytes(png, id: "bridge")))
        _ = try? render(paintable.pointer, size)
        while paintable.binding.content.kind != .image { await Task.detached { await MainActor.run {} }.value }
    }

    private func report(_ text: String) {
        print("\(start.duration(to: .now)): \(text)")
    }

    private nonisolated static func compute(for time: Duration) {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {}
    }
}
#endif
