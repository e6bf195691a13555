import ArgumentParser
import Foundation
import Tintype

/// Where the disk cache is.
struct CacheLocation: ParsableArguments {
    @Option(help: ArgumentHelp("The cache directory, instead of $XDG_CACHE_HOME/tintype.", valueName: "dir"))
    var cache: String?

    var diskCache: DiskCache {
        DiskCache(directory: cache.map { URL(filePath: $0, directoryHint: .isDirectory) })
    }

    /// The disk cache and that of thumbnails as pixels.
    var all: [DiskCache] {
        let cache = diskCache
        return [cache, ThumbnailCache(beside: cache).disk]
    }
}

/// Whether and where a load uses the disk cache.
struct CacheOptions: ParsableArguments {
    @OptionGroup var location: CacheLocation

    @Flag(help: "Keep nothing on disk, and look up nothing there.")
    var noCache = false

    func validate() throws {
        if noCache, location.cache != nil { throw ValidationError("--cache and --no-cache exclude each other.") }
    }

    var diskCache: DiskCache? { noCache ? nil : location.diskCache }
}
