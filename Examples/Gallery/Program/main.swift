// A gallery of 5,000 photographs from a server: a grid to scroll and search, a page for each image with zoom and
// information, light and dark colours, and live figures.
//
//     swift run --traits GTK Gallery

#if GTK
import Foundation
import GalleryWindow
import Tintype
import TintypeGTK

let memory = MemoryCache(limits: CacheLimits(cost: 100 << 20))
let figures = Figures()
var configuration = PipelineConfiguration.standard(memory: memory, disk: nil)
configuration.observers = [figures]
let pipeline = ImagePipeline(configuration)
var gallery: Gallery?

let status = TintypeGTK.run("dev.tintype.Gallery") { application in
    // The server runs in this process. It starts while GTK runs, so that the window appears at once.
    Task { @MainActor in
        do {
            gallery = Gallery(server: try await GalleryServer(Photographs(), count: 5000), pipeline: pipeline)
            gallery?.open(in: application)
            gallery?.show(figures, memory)
        } catch {
            print("Gallery: the server cannot start: \(error)")
            exit(1)
        }
    }
    Gallery.hold(application)
}
exit(status)
#else
print("The gallery needs GTK: swift run --traits GTK Gallery")
#endif
