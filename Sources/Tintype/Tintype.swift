// Re-exports all modules, so that `import Tintype` is enough.
@_exported public import TintypeAVIF
@_exported public import TintypeBMP
@_exported public import TintypeCore
@_exported public import TintypeDisk
@_exported public import TintypeGIF
@_exported public import TintypeHEIF
@_exported public import TintypeHTTP
@_exported public import TintypeICO
@_exported public import TintypeJPEG
@_exported public import TintypeJXL
@_exported public import TintypePNG
@_exported public import TintypeSVG
@_exported public import TintypeSandbox
@_exported public import TintypeTIFF
@_exported public import TintypeViews
@_exported public import TintypeWebP

/// The version of Tintype.
package enum ProductVersion {
    /// The version that this code will be released as (Semantic Versioning 2.0.0).
    package static let current = "0.1.0"
}
