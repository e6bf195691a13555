import CTintypeGTK
public import TintypeCore

/// Makes the rows of a `GtkListView`, or the cells of a `GtkGridView`, that show images.
///
/// ```swift
/// let factory = ImageListFactory(pipeline: .shared) { cell in
///     cell.view.contentFit = .cover
///     return cell.view.widget
/// } bind: { cell, item in
///     cell.view.load(url(of: item))
/// }
/// let grid = gtk_grid_view_new(selection, factory.retainedPointer())
/// ```
///
/// A list binds far more rows than it shows. The load of a row begins when the row is drawn, and ends when the row is
/// recycled. A recycled row never shows the image of its former item.
@MainActor public final class ImageListFactory {
    /// The `GtkListItemFactory`, which lives at least until control returns to the main loop after this object is gone.
    /// Do not pass it to a function that takes over a reference: see ``retainedPointer()``.
    public let pointer: OpaquePointer

    /// Creates a factory.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline that loads the images.
    ///   - setup: Prepares a new cell and returns its `GtkWidget`: the view of the cell, or a container around it.
    ///   - bind: Loads the image of an item, a `GObject` of the list's model.
    public init(
        pipeline: ImagePipeline, setup: @escaping @MainActor (ImageCell) -> OpaquePointer = { $0.view.widget },
        bind: @escaping @MainActor (ImageCell, _ item: OpaquePointer) -> Void
    ) {
        let cells = CellTable(pipeline: pipeline, setup: setup, bind: bind)
        var events = TintypeListEvents(
            setup: { owner, cell in
                let key = UInt(bitPattern: cell)
                let widget = withOwner(owner) { (cells: CellTable) in cells.add(key) }
                // The fallback is never used: `add` returns the address of a widget, which is not null.
                return OpaquePointer(bitPattern: widget) ?? cell
            },
            bind: { owner, cell, item in
                let (key, item) = (UInt(bitPattern: cell), UInt(bitPattern: item))
                withOwner(owner) { (cells: CellTable) in cells.bind(key, item) }
            },
            unbind: { owner, cell in
                let key = UInt(bitPattern: cell)
                withOwner(owner) { (cells: CellTable) in cells.unbind(key) }
            },
            teardown: { owner, cell in
                let key = UInt(bitPattern: cell)
                withOwner(owner) { (cells: CellTable) in cells.remove(key) }
            },
            release: { release($0, CellTable.self) })
        pointer = tintype_list_factory_new(&events, Unmanaged.passRetained(cells).toOpaque())
    }

    // Later, because Swift may release this object between reading the pointer and passing it to GTK.
    isolated deinit {
        tintype_object_drop_later(UnsafeMutableRawPointer(pointer))
    }

    /// Returns the `GtkListItemFactory` with a reference for the caller, for functions that take it over, such as
    /// `gtk_grid_view_new` and `gtk_list_view_new`.
    public func retainedPointer() -> OpaquePointer {
        tintype_object_hold(UnsafeMutableRawPointer(pointer))
        return pointer
    }

    /// Returns the text of a list item that is a `GtkStringObject`; `nil` for any other object.
    public static func text(of item: OpaquePointer) -> String? {
        tintype_item_text(UnsafeMutableRawPointer(item)).map { String(cString: $0) }
    }
}

/// A row or cell of a list, reused for many items.
@MainActor public final class ImageCell {
    /// The view of the image.
    public let view: ImageView
    /// The `GtkListItem`; `nil` while the cell shows no item.
    fileprivate var listItem: OpaquePointer?

    fileprivate init(_ view: ImageView) {
        self.view = view
    }

    /// The index of the item in the list's model now; `nil` while the cell has none. It changes when items before it
    /// are inserted or removed.
    public var position: Int? {
        listItem.map { Int(tintype_cell_position($0)) }.flatMap { $0 < 0 ? nil : $0 }
    }
}

/// The cells of a factory.
@MainActor private final class CellTable {
    private let pipeline: ImagePipeline
    private let setup: @MainActor (ImageCell) -> OpaquePointer
    private let bind: @MainActor (ImageCell, OpaquePointer) -> Void
    /// By the address of their `GtkListItem`.
    private var cells: [UInt: ImageCell] = [:]

    init(
        pipeline: ImagePipeline, setup: @escaping @MainActor (ImageCell) -> OpaquePointer,
        bind: @escaping @MainActor (ImageCell, OpaquePointer) -> Void
    ) {
        (self.pipeline, self.setup, self.bind) = (pipeline, setup, bind)
    }

    /// Returns the address of the widget of a new cell.
    func add(_ key: UInt) -> UInt {
        let cell = ImageCell(ImageView(pipeline: pipeline))
        cells[key] = cell
        return UInt(bitPattern: setup(cell))
    }

    func bind(_ key: UInt, _ item: UInt) {
        guard let cell = cells[key], let item = OpaquePointer(bitPattern: item) else { return }
        cell.listItem = OpaquePointer(bitPattern: key)
        bind(cell, item)
    }

    func unbind(_ key: UInt) {
        cells[key]?.listItem = nil
        cells[key]?.view.recycle()
    }

    func remove(_ key: UInt) {
        cells.removeValue(forKey: key)?.listItem = nil
    }
}
