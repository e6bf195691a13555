#if GTK
import CGTK
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

@testable import TintypeGTK

@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct ImageListTests {
    private let images = TestImages()

    init() throws { try Screen.open() }

    /// A list of 2000 rows of 96 points in a window of 500×600 points.
    private struct List {
        let window: TestWindow
        let factory: ImageListFactory
        let view: UnsafeMutablePointer<GtkWidget>?
        let bound: Shared<[Int: ObjectIdentifier]>
        let model: OpaquePointer?
        /// The cells by the names of their items.
        let cells: Shared<[String: ImageCell]>
    }

    private func makeList(_ gate: Gate? = nil) throws -> List {
        let model = gtk_string_list_new(nil)
        for index in 0..<2000 {
            gtk_string_list_append(model, "\(index)")
        }
        let side = PixelSize(width: 96, height: 96)
        let pixels = try PixelBuffer.filled(.solidRed, size: side)
        for index in 0..<2000 where index < 60 || index > 1000 && index < 1060 {
            try images.add("\(index)", pixels, gate: gate)
        }
        let bound = Shared<[Int: ObjectIdentifier]>([:])
        let cells = Shared<[String: ImageCell]>([:])
        let factory = ImageListFactory(pipeline: images.pipeline) { cell in
            gtk_widget_set_size_request(UnsafeMutablePointer(cell.view.widget), 96, 96)
            return cell.view.widget
        } bind: { cell, item in
            let name = ImageListFactory.text(of: item) ?? ""
            bound.withLock { $0[cell.position ?? -1] = ObjectIdentifier(cell) }
            cells.withLock { $0[name] = cell }
            cell.view.load(TestImages.url(name))
        }
        let selection = gtk_no_selection_new(model)
        let list = gtk_list_view_new(selection, factory.retainedPointer())
        let scrolled = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), list)
        let window = try TestWindow(OpaquePointer(scrolled), width: 500, height: 600)
        return List(window: window, factory: factory, view: list, bound: bound, model: model, cells: cells)
    }

    @Test func thePositionOfACellFollowsItsItem() async throws {
        let list = try makeList()
        defer { list.window.close() }
        await list.window.present()
        await MainLoop.run { images.counts.loads >= 6 }
        #expect(list.cells.now["3"]?.position == 3)
        // The rows below move up. GTK does not bind their items again.
        gtk_string_list_remove(list.model, 0)
        await MainLoop.runFrames(2, of: list.window.widget)
        #expect(list.cells.now["3"]?.position == 2 && list.cells.now["0"]?.position != 0)
    }

    @Test func onlyTheRowsThatAreDrawnLoad() async throws {
        let list = try makeList()
        defer { list.window.close() }
        await list.window.present()
        await MainLoop.run { images.counts.loads >= 6 }
        await MainLoop.runFrames(3, of: list.window.widget)
        // GTK binds and maps 205 rows in its first layout, and draws those that are seen.
        #expect(list.bound.now.count > 150)
        #expect(images.counts.loads == 6)
    }

    @Test func rowsThatAreFlungPastAreCancelled() async throws {
        let gate = Gate()
        let list = try makeList(gate)
        defer { list.window.close() }
        await list.window.present()
        await MainLoop.run { images.counts.loads >= 6 }
        gtk_widget_activate_action_variant(list.view, "list.scroll-to-item", g_variant_new_uint32(1012))
        await MainLoop.run { images.loader.count(TestImages.url("1012").absoluteString) == 1 }
        // The rows at the top have been recycled, except the focused one: nobody waits for their images.
        await MainLoop.run { images.loader.cancelledCount(TestImages.url("3").absoluteString) == 1 }
        gate.open()
    }
}
#endif
