import Foundation
import TintypeCore
import TintypeDisk
import TintypeJPEG

struct ThumbnailTimings {
    func measure() async throws {}
}
