import TintypeCore

/// One image of a GIF: what is said of it, and where it is.
struct GIFImage {
    var frame: AnimationFrame
    /// From the image's descriptor to the end of its data.
    var place: Range<Int>
    /// Its colours, its own or those of the whole file, three bytes each.
    var palette: Range<Int>
    var transparentIndex: UInt8?
}
