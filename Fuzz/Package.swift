// swift-tools-version:6.2
import PackageDescription

/// The settings of the package under test.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let formats = [
    "AVIF", "BMP", "EXR", "GIF", "HEIF", "ICO", "JPEG", "JPEG2000", "JXL", "PDF", "PNG", "PNM", "RAW", "SVG", "TGA",
    "TIFF", "Video", "WebP",
]

/// The fuzzing package, which `scripts/check/fuzz` builds with the sanitizers that it needs.
let package = Package(
    name: "TintypeFuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Tintype", path: "..")],
    targets: [
        .executableTarget(
            name: "FuzzDecoders",
            dependencies: (["Core"] + formats).map { .product(name: "Tintype\($0)", package: "Tintype") },
            swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])]),
        .executableTarget(
            name: "FuzzConnections",
            dependencies: ["FuzzSupport"]
                + ["Core", "HTTP", "Testing"].map { .product(name: "Tintype\($0)", package: "Tintype") },
            swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])]),
        .executableTarget(
            name: "FuzzSandbox",
            dependencies: ["FuzzSupport"]
                + ["Core", "GIF", "Sandbox"].map { .product(name: "Tintype\($0)", package: "Tintype") },
            swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])]),
        .target(name: "FuzzSupport", swiftSettings: swiftSettings),
    ]
)
