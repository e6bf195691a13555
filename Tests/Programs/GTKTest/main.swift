// Programs for tests that need the main loop of a GTK program of their own. `make gallery-test` runs the long one.
//
//     GTKTest bridge          runs jobs of the main actor and drawing against each other; ends when neither starves
//     GTKTest gallery [N]     scrolls through the gallery for N seconds, 20 by default, and checks every frame
//     GTKTest views [N]       compares 100 views of an animation with 100 plain `GtkPicture`, N (5) seconds each
//     GTKTest screenshots DIR writes what the gallery shows at a few moments
//     GTKTest attach-in-task  attaches the main actor in ways that are refused: both end with a message
//     GTKTest attach-elsewhere
//
// They need a display, for example from xvfb-run.

#if GTK
import Foundation
import TintypeGTK

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "attach-in-task":
    Task { @MainActor in TintypeGTK.attach() }
    dispatchMain()
case "attach-elsewhere":
    DispatchQueue.main.async { MainActor.assumeIsolated { TintypeGTK.attach() } }
    dispatchMain()
default: break
}
var result: Int32 = 1
let status = TintypeGTK.run("dev.tintype.GTKTest") { application in
    hold(application)
    Task { @MainActor in
        switch arguments.first {
        case "bridge": result = await BridgeTest().run()
        case "gallery":
            result = await GalleryTest(seconds: arguments.dropFirst().first.flatMap { Double($0) } ?? 20).run()
        case "views": result = await ViewCost(seconds: arguments.dropFirst().first.flatMap { Double($0) } ?? 5).run()
        case "screenshots": result = await Screenshots(arguments.dropFirst().first ?? ".").run()
        default: print("usage: GTKTest bridge | gallery [SECONDS] | views [SECONDS] | screenshots DIRECTORY")
        }
        exit(result)
    }
}
exit(status)
#else
print("GTKTest needs GTK: swift run --traits GTK GTKTest")
#endif
