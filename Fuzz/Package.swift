// swift-tools-version:6.2
import PackageDescription

/// Those of the package that is fuzzed.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let formats = ["AVIF", "BMP", "GIF", "HEIF", "ICO", "JPEG", "JXL", "PNG", "SVG", "TIFF", "WebP"]

/// Built by scripts/check/fuzz, with the sanitizers that it needs.
let package = Package(
    name: "TintypeFuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Tintype", path: "..")],
    targets: [
        .executableTarget(
            name: "FuzzDecoders",
            dependencies: (["Core"] + formats).map { .product(name: "Tintype\($0)", package: "Tintype") },
            swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])])
    ]
)
