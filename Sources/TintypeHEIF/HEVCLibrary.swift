import CLibDE265
package import TintypeCore

/// libde265, loaded at the first HEIC sequence.
package enum HEVCLibrary: OnDemandLibrary {
    package static let files = ["libde265.so.0"]

    #if os(Linux)
    package static let loaded = connected(
        tintype_de265_names(), tintype_de265_connect,
        .init("libde265, which decodes sequences of HEIC", packages: "libde265-0 on Debian, libde265 on Fedora"))
    #endif
}
