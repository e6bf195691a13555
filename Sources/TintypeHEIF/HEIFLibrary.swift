import CLibHEIF
package import TintypeCore

/// libheif, loaded at the first HEIC image.
package enum HEIFLibrary: OnDemandLibrary {
    package static let files = ["libheif.so.1"]

    #if os(Linux)
    package static let loaded = connected(
        tintype_heif_names(), tintype_heif_connect,
        .init("libheif, which decodes and encodes HEIC", packages: "libheif1 on Debian, libheif on Fedora"))
    #endif
}
