import CLibAVIF
package import TintypeCore

/// libavif, loaded at the first AVIF.
package enum AVIFLibrary: OnDemandLibrary {
    package static let files = [TINTYPE_AVIF_FILE]

    #if os(Linux)
    package static let loaded = connected(
        tintype_avif_names(), tintype_avif_connect,
        .init("libavif, which decodes and encodes AVIF", packages: "libavif15 on Debian 12, libavif on Fedora"))
    #endif
}
