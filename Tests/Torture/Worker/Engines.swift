import Cairn
import GraphSupport

/// The engines that are tried.
enum Engines {
    static let registry = StoreRegistry.builtIn

    /// The engines that keep files.
    static let types = everyFileEngine

    /// Those whose saves put a new file in the place of the old one. A copy of the store that takes
    /// its place, or a second link to it, is for them a save of another process (decision 0045).
    static let typesOfWholeFiles = Set(everyWholeFileEngine)
}
