import ArgumentParser
import Tintype

/// The transforms of `convert`, in the order in which they are given. An option about another belongs to the one before
/// it.
struct TransformOptions: ParsableArguments {
    typealias Given = Ordered<TransformArgument>

    @Option(
        help: ArgumentHelp("Resize to this size, never larger than the picture unless it is SVG.", valueName: "WxH"),
        transform: Given.parsing(TransformArgument.resize))
    var resize: [Given] = []

    @Option(
        help: ArgumentHelp(
            "What the --resize before it does when the aspect ratios differ: fit (inside, the default), fill (cover and cut) or stretch.",
            valueName: "fit|fill|stretch"),
        transform: Given.parsing(TransformArgument.mode))
    var mode: [Given] = []

    @Option(
        help: ArgumentHelp(
            "How the --resize before it mixes pixels: box, bilinear, catmullRom or lanczos3, the default.",
            valueName: "filter"),
        transform: Given.parsing(TransformArgument.filter))
    var filter: [Given] = []

    @Flag(help: "Let every --resize make a picture larger, too.")
    var enlarge = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Cut out a rectangle, or as much as WxH where --gravity says.", valueName: "X,Y,W,H|WxH"),
        transform: Given.parsing(TransformArgument.crop))
    var crop: [Given] = []

    @Option(
        help: ArgumentHelp(
            "What stays by the --crop or --resize before it, or where its --overlay lies: center, top, bottom, left, right, topLeft, topRight, bottomLeft, bottomRight or smart.",
            valueName: "place"),
        transform: Given.parsing(TransformArgument.gravity))
    var gravity: [Given] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Turn counter-clockwise; with ',keep' the picture keeps its size.", valueName: "degrees[,keep]"),
        transform: Given.parsing(TransformArgument.rotate))
    var rotate: [Given] = []

    @Option(
        help: ArgumentHelp("Mirror.", valueName: "horizontal|vertical"),
        transform: Given.parsing(TransformArgument.flip))
    var flip: [Given] = []

    @Option(
        help: ArgumentHelp("Round the corners, or cut out a circle.", valueName: "radius|circle"),
        transform: Given.parsing(TransformArgument.round))
    var round: [Given] = []

    @Option(
        help: ArgumentHelp("Which corners the --round before it rounds.", valueName: "tl,tr,bl,br"),
        transform: Given.parsing(TransformArgument.corners))
    var corners: [Given] = []

    @Option(
        help: ArgumentHelp("A border inside the edge of the --round before it.", valueName: "width,#RRGGBBAA"),
        transform: Given.parsing(TransformArgument.border))
    var border: [Given] = []

    @Option(
        help: ArgumentHelp("Give everything a colour, keeping its shape.", valueName: "#RRGGBBAA"),
        transform: Given.parsing(TransformArgument.tint))
    var tint: [Given] = []

    @Option(
        help: ArgumentHelp(
            "How the --tint or --overlay before it is laid over the picture: \(BlendMode.allCases.map(\.name).joined(separator: ", ")).",
            valueName: "mode"),
        transform: Given.parsing(TransformArgument.blend))
    var blend: [Given] = []

    @Option(
        help: ArgumentHelp("Blur like a Gaussian of this standard deviation.", valueName: "radius"),
        transform: Given.parsing(TransformArgument.blur))
    var blur: [Given] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Change colours: a list of brightness=N (0 is none), contrast=N and saturation=N (1 is none), grey, sepia and invert; or the 20 numbers of a matrix.",
            valueName: "list"),
        transform: Given.parsing(TransformArgument.adjust))
    var adjust: [Given] = []

    @Option(
        help: ArgumentHelp("Put another picture on it, at the bottom right.", valueName: "source"),
        transform: Given.parsing(TransformArgument.overlay))
    var overlay: [Given] = []

    @Option(
        help: ArgumentHelp("How much of the --overlay before it is seen.", valueName: "0-1"),
        transform: Given.parsing(TransformArgument.opacity))
    var opacity: [Given] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("How far the --overlay before it is from its side or corner.", valueName: "X,Y"),
        transform: Given.parsing(TransformArgument.inset))
    var inset: [Given] = []

    @Option(
        help: ArgumentHelp("Put it on a colour.", valueName: "#RRGGBBAA"),
        transform: Given.parsing(TransformArgument.flatten))
    var flatten: [Given] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Put a margin around it, one width or those of all sides, transparent or of a colour.",
            valueName: "N|TOP,LEFT,BOTTOM,RIGHT[,#RRGGBBAA]"),
        transform: Given.parsing(TransformArgument.pad))
    var pad: [Given] = []

    @Option(
        help: ArgumentHelp("Cut off a border of one colour, give or take 0 to 255.", valueName: "tolerance"),
        transform: Given.parsing(TransformArgument.trim))
    var trim: [Given] = []

    func validate() throws {
        guard steps != nil else {
            throw ValidationError(
                "An option such as --mode, --filter, --gravity, --corners, --border, --blend, --opacity or --inset belongs right after the one that it is about."
            )
        }
    }

    /// In the order given; `nil` when an option is about another that is not before it.
    private var steps: [TransformStep]? {
        let given = [
            resize, mode, filter, crop, gravity, rotate, flip, round, corners, border, tint, blend, blur, adjust,
            overlay,
            opacity, inset, flatten, pad, trim,
        ].flatMap(\.self)
        return TransformArgument.steps(given.sorted { $0.place < $1.place }.map(\.value))
    }

    /// - Parameter load: gets the pixels of a picture that is put on another.
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
