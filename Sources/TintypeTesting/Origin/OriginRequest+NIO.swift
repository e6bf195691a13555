import Foundation
import NIOHTTP1

extension OriginRequest {
    init(head: HTTPRequestHead, body: Data) {
        let target = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = target.first.map(String.init) ?? ""
        self.init(
            method: head.method.rawValue,
            path: path.removingPercentEncoding ?? path,
            query: target.count > 1 ? String(target[1]) : nil,
            headers: head.headers.map { (name: $0.name, value: $0.value) },
            body: body)
    }
}
