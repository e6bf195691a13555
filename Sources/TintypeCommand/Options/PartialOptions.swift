import ArgumentParser
import Tintype

/// Whether a part of a picture will do.
struct PartialOptions: ParsableArguments {
    @Flag(
        help: """
            Be content with what there is of a picture that is damaged, or whose transfer breaks off; a warning says so.
            """)
    var partial = false

    /// The request as these options want it.
    func applied(to request: ImageRequest) -> ImageRequest {
        request.with { $0.rendition.decode.allowsPartial = partial }
    }

    /// A line for a person about a picture that is not whole; `nil` for one that is.
    static func warning(_ name: String, _ response: ImageResponse) -> String? {
        guard response.image.isPartial else { return nil }
        let reason = response.transferFailure?.message ?? "the picture is damaged or cut short"
        return "tintype: \(name): only a part of it: \(reason)"
    }
}
