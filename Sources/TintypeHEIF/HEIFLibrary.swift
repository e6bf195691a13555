import CLibDE265
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

/// libde265, loaded at the first HEIC sequence.
package enum HEVCLibrary: OnDemandLibrary {
    package static let files = ["libde265.so.0"]

    #if os(Linux)
    package static let loaded = connected(
        tintype_de265_names(), tintype_de265_connect,
        .init("libde265, which decodes sequences of HEIC", packages: "libde265-0 on Debian, libde265 on Fedora"))
    #endif
}
