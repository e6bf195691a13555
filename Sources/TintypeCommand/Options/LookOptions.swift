import ArgumentParser

/// What `info` tells of how a picture looks, for which it has to be decoded.
struct LookOptions: ParsableArguments {
    @Flag(help: "The colours that stand for it, with their shares.")
    var palette = false

    @Flag(help: "Its BlurHash, of 4 by 3 waves.")
    var blurhash = false

    @Flag(help: "Its ThumbHash, in Base64.")
    var thumbhash = false

    var isAskedFor: Bool { palette || blurhash || thumbhash }
}
