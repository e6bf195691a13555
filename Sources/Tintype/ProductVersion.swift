/// The version of Tintype.
package enum ProductVersion {
    /// The version that this code will be released as (Semantic Versioning 2.0.0).
    package static let current = "0.1.0"
}
