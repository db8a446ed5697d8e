import Cairn

/// The engines that are tried. A new one is a line in ``registry``.
enum Engines {
    static let registry = StoreRegistry.builtIn

    /// Those that keep files.
    static let types: [StoreType] = [.sqlite, .lmdb, .xml, .binary]

    /// Those whose saves put a new file in the place of the old one. A copy of the store that takes
    /// its place, or a second link to it, is for them a save of another process (decision 0045).
    static let typesOfWholeFiles: Set<StoreType> = [.xml, .binary]
}
