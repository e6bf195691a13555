import ArgumentParser
import Tintype

/// The transforms of `convert`, which apply in the order of the options. Some options modify the transform before them.
struct TransformOptions: ParsableArguments {
    typealias Argument = Ordered<TransformArgument>

    @Option(
        help: ArgumentHelp("Resize to this size; enlarges only an SVG, unless --enlarge is given.", valueName: "WxH"),
        transform: Argument.parsing(expecting: "a width and a height, such as 320x240", TransformArgument.resize))
    var resize: [Argument] = []

    @Option(
        help: ArgumentHelp(
            """
            How the preceding --resize handles another aspect ratio: fit (inside the size, the default), fill \
            (cover the size and crop) or stretch.
            """,
            valueName: "fit|fill|stretch", visibility: .rare),
        transform: Argument.parsing(expecting: "fit, fill or stretch", TransformArgument.mode))
    var mode: [Argument] = []

    @Option(
        help: ArgumentHelp(
            "The filter of the preceding --resize: box, bilinear, catmullRom or lanczos3 (the default).",
            valueName: "filter", visibility: .rare),
        transform: Argument.parsing(expecting: "box, bilinear, catmullRom or lanczos3", TransformArgument.filter))
    var filter: [Argument] = []

    @Flag(help: ArgumentHelp("Let every --resize enlarge the image.", visibility: .rare))
    var enlarge = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Cut out a rectangle, or a part of size WxH that --gravity selects.", valueName: "X,Y,W,H|WxH"),
        transform: Argument.parsing(
            expecting: "X,Y,W,H or WxH in pixels, such as 100,50,640,480",
            TransformArgument.crop))
    var crop: [Argument] = []

    @Option(
        help: ArgumentHelp(
            """
            The part that the preceding --crop or --resize keeps, or the position of the preceding --overlay: \
            center, top, bottom, left, right, topLeft, topRight, bottomLeft, bottomRight or smart.
            """,
            valueName: "position", visibility: .rare),
        transform: Argument.parsing(
            expecting: "center, top, bottom, left, right, topLeft, topRight, bottomLeft, bottomRight or smart",
            TransformArgument.gravity))
    var gravity: [Argument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Rotate counter-clockwise; ',keep' keeps the size of the image.", valueName: "degrees[,keep]"),
        transform: Argument.parsing(expecting: "degrees, such as 90 or -30,keep", TransformArgument.rotate))
    var rotate: [Argument] = []

    @Option(
        help: ArgumentHelp("Mirror the image.", valueName: "horizontal|vertical"),
        transform: Argument.parsing(expecting: "horizontal or vertical", TransformArgument.flip))
    var flip: [Argument] = []

    @Option(
        help: ArgumentHelp("Round the corners, or cut out a circle.", valueName: "radius|circle"),
        transform: Argument.parsing(expecting: "a radius in pixels, or circle", TransformArgument.round))
    var round: [Argument] = []

    @Option(
        help: ArgumentHelp(
            "The corners that the preceding --round rounds.", valueName: "tl,tr,bl,br", visibility: .rare),
        transform: Argument.parsing(expecting: "a list of tl, tr, bl, br and all", TransformArgument.corners))
    var corners: [Argument] = []

    @Option(
        help: ArgumentHelp(
            "Draw a border inside the edge of the preceding --round.", valueName: "width,#RRGGBBAA", visibility: .rare
        ),
        transform: Argument.parsing(expecting: "a width and a colour, such as 4,#ffffff", TransformArgument.border))
    var border: [Argument] = []

    @Option(
        help: ArgumentHelp(
            "Fill the image with a colour, keeping its shape.", valueName: "#RRGGBBAA", visibility: .rare),
        transform: Argument.parsing(expecting: "a colour, such as #c01c28", TransformArgument.tint))
    var tint: [Argument] = []

    @Option(
        help: ArgumentHelp(
            """
            How the preceding --tint or --overlay is blended with the image: \
            \(BlendMode.allCases.map(\.name).joined(separator: ", ")).
            """,
            valueName: "mode", visibility: .rare),
        transform: Argument.parsing(expecting: "a blend mode, such as multiply", TransformArgument.blend))
    var blend: [Argument] = []

    @Option(
        help: ArgumentHelp(
            "Blur with a Gaussian of this standard deviation in pixels.", valueName: "radius", visibility: .rare),
        transform: Argument.parsing(expecting: "a number of pixels, such as 2.5", TransformArgument.blur))
    var blur: [Argument] = []

    @Option(
        help: ArgumentHelp(
            """
            Sharpen with an unsharp mask: the standard deviation of its blur in pixels, how much of the difference is added \
            (1 by default) and the largest difference that stays (0 by default).
            """,
            valueName: "radius[,amount[,threshold]]", visibility: .rare),
        transform: Argument.parsing(expecting: "up to three numbers, such as 1.5,0.8,3", TransformArgument.sharpen))
    var sharpen: [Argument] = []

    @Option(
        help: ArgumentHelp(
            "Replace squares of this side, in pixels, by their average colour.", valueName: "side", visibility: .rare),
        transform: Argument.parsing(expecting: "a number of pixels, such as 8", TransformArgument.pixelate))
    var pixelate: [Argument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Adjust colours: a list of brightness=N (0 is unchanged), contrast=N and saturation=N (1 is \
            unchanged), grey, sepia and invert; or the 20 numbers of a matrix.
            """,
            valueName: "list", visibility: .rare),
        transform: Argument.parsing(
            expecting: "a list such as brightness=0.1,contrast=1.2,grey, or 20 numbers",
            TransformArgument.adjust))
    var adjust: [Argument] = []

    @Option(
        help: ArgumentHelp(
            "Draw another image over this one, at the bottom right.", valueName: "source", visibility: .rare),
        transform: Argument.parsing(expecting: "a URL, or the path of a file", TransformArgument.overlay))
    var overlay: [Argument] = []

    @Option(
        help: ArgumentHelp("The opacity of the preceding --overlay.", valueName: "0-1", visibility: .rare),
        transform: Argument.parsing(expecting: "a number from 0 to 1", TransformArgument.opacity))
    var opacity: [Argument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The distance of the preceding --overlay from its side or corner.", valueName: "X,Y", visibility: .rare),
        transform: Argument.parsing(expecting: "two numbers of pixels, such as 12,12", TransformArgument.inset))
    var inset: [Argument] = []

    @Option(
        help: ArgumentHelp(
            "Draw the image on a background of this colour.", valueName: "#RRGGBBAA", visibility: .rare),
        transform: Argument.parsing(expecting: "a colour, such as #ffffff", TransformArgument.flatten))
    var flatten: [Argument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Add a margin: one width for all sides, or four; transparent unless a colour is given.",
            valueName: "N|TOP,LEFT,BOTTOM,RIGHT[,#RRGGBBAA]", visibility: .rare),
        transform: Argument.parsing(
            expecting: "one or four widths in pixels and an optional colour, such as 16,#ffffff",
            TransformArgument.pad))
    var pad: [Argument] = []

    @Option(
        help: ArgumentHelp(
            "Trim a border of one colour, with this tolerance from 0 to 255.", valueName: "tolerance",
            visibility: .rare),
        transform: Argument.parsing(expecting: "a number from 0 to 255", TransformArgument.trim))
    var trim: [Argument] = []

    func validate() throws {
        guard steps != nil else {
            throw ValidationError(
                """
                --mode, --filter, --gravity, --corners, --border, --blend, --opacity and --inset modify the transform \
                before them; give each one directly after a transform that it applies to
                """)
        }
    }

    /// The steps in the order of the options, or `nil` if an option does not suit the transform before it.
    var steps: [TransformStep]? {
        let arguments = [
            resize, mode, filter, crop, gravity, rotate, flip, round, corners, border, tint, blend, blur, sharpen,
            pixelate, adjust, overlay, opacity, inset, flatten, pad, trim,
        ].flatMap(\.self)
        return TransformArgument.steps(arguments.sorted { $0.position < $1.position }.map(\.value))
    }

    /// Returns the transformers of these options.
    ///
    /// - Parameter load: Loads the pixels of an overlay.
    func transformers(
        _ load: (SourceArgument) async throws(TintypeError) -> PixelBuffer
    ) async throws(TintypeError) -> [any ImageTransformer] {
        var transformers: [any ImageTransformer] = []
        for step in steps ?? [] {
            let transformer = try await step.transformer(load)
            transformers.append(enlarge ? Self.enlarging(transformer) : transformer)
        }
        return transformers
    }

    private static func enlarging(_ transformer: any ImageTransformer) -> any ImageTransformer {
        guard var resize = transformer as? ResizeTransformer else { return transformer }
        resize.isEnlarging = true
        return resize
    }
}
