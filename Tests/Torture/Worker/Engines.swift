import Cairn
import GraphSupport

/// The engines to test.
enum Engines {
    static let registry = StoreRegistry.builtIn

    /// The engines that use files.
    static let types = everyFileEngine

    /// The engines whose saves replace the file with a new one. To them, replacing the store with a copy, or
    /// adding a second link to it, is equivalent to a save by another process
    /// (docs/decisions/atomic-stores.md).
    static let typesOfWholeFiles = Set(everyWholeFileEngine)
}
