import Foundation

extension Corpus {
    /// The file of every `.xcdatamodel` in the readable format.
    public static let sources = all { $0.lastPathComponent == "contents" }
    /// The file of every `.xcdatamodel` in the older format.
    public static let elements = all { $0.lastPathComponent == "elements" }
    /// The file of every `.mom`.
    public static let compiled = all { $0.pathExtension == "mom" }
    /// The folder of every `.momd`.
    public static let compiledBundles = all { $0.pathExtension == "momd" }

    /// Every `.xcdatamodel` in the readable format, and every `.mom`.
    public static let models = sources.map { $0.deletingLastPathComponent() } + compiled
}
