package import Foundation

/// What is to be written beside transferred bytes, and whether they may be. Not everyone who loads keeps what he gets, so
/// it is only made when it is asked for.
package protocol DeferredRecord: Sendable {
    var metadata: Data { get }
    var isStorable: Bool { get }
}
