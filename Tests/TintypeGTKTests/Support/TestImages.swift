#if GTK
import CGTK
import Foundation
import Tintype
import TintypeGTK
import TintypeTesting

/// A pipeline without a network, and the images that it loads.
@MainActor struct TestImages {
    let loader = FakeLoader(isStorable: false)
    let counts = LoadCounts()
    let pipeline: ImagePipeline

    init() {
        var configuration = PipelineConfiguration()
        configuration.loaders = [loader]
        configuration.coders = .standard
        configuration.observers = [counts]
        pipeline = ImagePipeline(configuration)
    }

    /// Makes an image available at a URL.
    ///
    /// - Parameter gate: The load waits for it.
    @discardableResult
    func add(_ name: String, _ pixels: PixelBuffer, gate: Gate? = nil) throws -> URL {
        try add(name, try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions()), gate: gate)
    }

    /// Makes an animation available at a URL.
    @discardableResult
    func add(_ name: String, frames: [Pixel], size: PixelSize, duration: Double) throws -> URL {
        let animation = try AnimatedImage(
            try frames.map { TimedImage(try .filled($0, size: size), duration: duration) })
        return try add(name, try GIFEncoder().encode(animation, as: .gif, options: EncodeOptions()))
    }

    /// Creates a window with views of 20×20 points in rows of ten.
    func makeViews(_ count: Int) throws -> (TestWindow, [ImageView]) {
        let grid = gtk_grid_new()
        let views = (0..<count).map { _ in ImageView(pipeline: pipeline) }
        for (index, view) in views.enumerated() {
            let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
            gtk_widget_set_size_request(widget, 20, 20)
            gtk_grid_attach(grid?.as(GtkGrid.self), widget, Int32(index % 10), Int32(index / 10), 1, 1)
        }
        return (try TestWindow(OpaquePointer(grid)), views)
    }

    /// The URL of a name, whether there is an image or not.
    static func url(_ name: String) -> URL {
        URL(string: "https://images.test/" + name) ?? URL(filePath: "/")
    }

    @discardableResult
    private func add(_ name: String, _ data: Data, gate: Gate? = nil) throws -> URL {
        let url = Self.url(name)
        loader.setAnswer(gate.map { .gated($0, .data(data)) } ?? .data(data), for: url.absoluteString)
        return url
    }
}

/// Counts the loads and decodes of a pipeline.
final class LoadCounts: PipelineObserver {
    private let state = Shared((loads: 0, decodes: 0))

    /// The number of loads that began: of images that were not in memory.
    var loads: Int { state.now.loads }
    var decodes: Int { state.now.decodes }

    func observe(_ event: PipelineEvent) {
        state.withLock { state in
            switch event {
            case .loadBegan: state.loads += 1
            case .stageBegan(let run) where run.stage == .decode: state.decodes += 1
            default: break
            }
        }
    }
}

extension Pixel {
    static let solidRed = Pixel(red: 255, green: 0, blue: 0)
    static let solidGreen = Pixel(red: 0, green: 255, blue: 0)
    static let solidBlue = Pixel(red: 0, green: 0, blue: 255)
    static let solidWhite = Pixel(red: 255, green: 255, blue: 255)

    /// Whether no channel differs by more than 2.
    func isClose(to other: Pixel) -> Bool {
        zip([red, green, blue, alpha], [other.red, other.green, other.blue, other.alpha])
            .allSatisfy { abs(Int($0) - Int($1)) <= 2 }
    }
}
#endif
