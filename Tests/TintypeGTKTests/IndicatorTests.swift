#if GTK
import CGTK
import Testing
import TestSupport
import TintypeCore

@testable import TintypeGTK

@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct IndicatorTests {
    init() throws { try Screen.open() }

    /// The widget of a view that is destroyed during a load must still exist when its indicator hides it.
    @Test(arguments: [ViewIndicator.spinner, .progressBar]) func anIndicatorThatIsShownIsHiddenBeforeItsWidgetEnds(
        _ kind: ViewIndicator
    ) async throws {
        let count = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        count.initialize(to: 0)
        defer { count.deallocate() }
        var indicator = IndicatorWidget(kind)
        let pointer = try #require(indicator?.pointer)
        // As a view does, which takes over the floating reference and lets go of it first.
        g_object_ref_sink(UnsafeMutableRawPointer(pointer))
        let handler: @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>) -> Void = { $1.pointee += 1 }
        g_signal_connect_data(
            UnsafeMutableRawPointer(pointer), "hide", unsafeBitCast(handler, to: GCallback.self), count, nil,
            GConnectFlags(rawValue: 0))
        indicator?.handle(.start)
        await MainLoop.run { gtk_widget_get_visible(UnsafeMutablePointer(pointer)) != 0 }
        g_object_unref(UnsafeMutableRawPointer(pointer))
        indicator = nil
        #expect(count.pointee == 1)
    }
}
#endif
