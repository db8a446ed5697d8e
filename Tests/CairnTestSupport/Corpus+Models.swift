import Foundation

extension Corpus {
    /// The file of every `.xcdatamodel` of the readable form.
    public static let sources = all { $0.lastPathComponent == "contents" }
    /// The file of every `.xcdatamodel` of the older form.
    public static let elements = all { $0.lastPathComponent == "elements" }
    /// Every `.mom`.
    public static let compiled = all { $0.pathExtension == "mom" }
    /// Every `.momd`.
    public static let compiledBundles = all { $0.pathExtension == "momd" }

    /// Every `.xcdatamodel` of the readable form, and every `.mom`.
    public static let models = sources.map { $0.deletingLastPathComponent() } + compiled
}
