import CLibJXL
package import TintypeCore

/// libjxl, loaded at the first JPEG XL.
package enum JXLLibrary: OnDemandLibrary {
    package static let files = ["libjxl.so.\(JPEGXL_MAJOR_VERSION).\(JPEGXL_MINOR_VERSION)"]

    #if os(Linux)
    package static let loaded = connected(
        tintype_jxl_names(), tintype_jxl_connect,
        .init("libjxl, which decodes and encodes JPEG XL", packages: "libjxl0.7 on Debian 12, libjxl on Fedora"))
    #endif
}
