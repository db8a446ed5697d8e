import CairnFiles

/// The bytes of all files of a store in one state.
public struct StoreFiles {
    /// The other files of a folder by name; empty if a store is one file. A name is not empty and has
    /// no slash.
    public let others: [String: [UInt8]]
    /// The bytes of ``main`` in parts, which are in memory already.
    package let mainParts: FileParts

    /// The store's only file, or the one of a folder that says what the store is.
    public var main: [UInt8] { mainParts.bytes }

    /// The files of a store; only the main one, unless others are given.
    public init(main: [UInt8], others: [String: [UInt8]] = [:]) {
        mainParts = FileParts(main)
        self.others = others
    }

    /// The only file of a store, written from where its parts are in memory.
    package init(_ parts: FileParts) {
        mainParts = parts
        others = [:]
    }
}
