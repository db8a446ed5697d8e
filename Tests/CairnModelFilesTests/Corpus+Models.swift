import CairnTestSupport
import Foundation

extension Corpus {
    static let sources = all { $0.lastPathComponent == "contents" }
    static let elements = all { $0.lastPathComponent == "elements" }
    static let compiled = all { $0.pathExtension == "mom" }
    static let compiledBundles = all { $0.pathExtension == "momd" }

    /// Every `.xcdatamodel` of the readable form, and every `.mom`.
    static let models = sources.map { $0.deletingLastPathComponent() } + compiled
}
