import ArgumentParser
import Foundation
import Tintype

/// The location of the disk cache.
struct CacheLocation: ParsableArguments {
    @Option(
        help: ArgumentHelp("The cache directory. (default: $XDG_CACHE_HOME/tintype)", valueName: "dir"),
        transform: PathArgument.parsing(expecting: PathArgument.expectation))
    var cache: PathArgument?

    var diskCache: DiskCache {
        DiskCache(directory: cache.map { URL(filePath: $0.path, directoryHint: .isDirectory) })
    }

    /// The disk cache, and the cache of decoded thumbnails next to it.
    var all: [DiskCache] {
        let cache = diskCache
        return [cache, ThumbnailCache(beside: cache).disk]
    }

    /// The interrupted transfers, which are next to the disk cache.
    var partials: PartialStore { PartialStore(in: diskCache.location) }
}

/// Whether a load uses the disk cache, and which one.
struct CacheOptions: ParsableArguments {
    @OptionGroup var location: CacheLocation

    @Flag(help: "Neither read nor write the disk cache.")
    var noCache = false

    func validate() throws {
        if noCache, location.cache != nil {
            throw ValidationError("--cache and --no-cache exclude each other; give one of them")
        }
    }

    /// The disk cache, or `nil` for `--no-cache`.
    var diskCache: DiskCache? { noCache ? nil : location.diskCache }
}
