import CairnFiles

/// The bytes of all files of a store in one state.
public struct StoreFiles {
    /// The other files of a folder, by name. Empty if a store is a single file. A name is not empty
    /// and contains no slash.
    public let others: [String: [UInt8]]
    /// The bytes of ``main`` in parts that are already in memory.
    package let mainParts: FileParts

    /// The store's only file, or the main file of a folder.
    public var main: [UInt8] { mainParts.bytes }

    /// Creates the files of a store. By default, there is only the main file.
    public init(main: [UInt8], others: [String: [UInt8]] = [:]) {
        mainParts = FileParts(main)
        self.others = others
    }

    /// Creates the only file of a store. It is written directly from its parts in memory.
    package init(_ parts: FileParts) {
        mainParts = parts
        others = [:]
    }
}
