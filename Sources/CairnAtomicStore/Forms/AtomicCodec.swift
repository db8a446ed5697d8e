import CairnModel
import CairnStore

/// The form of a whole store: all that the author of an ``AtomicEngine`` writes.
///
/// A store is one file, or a folder of files of which one says what the store is. A codec turns
/// bytes into rows and rows into bytes; it opens no file, takes no lock and knows no save.
public protocol AtomicCodec: Sendable {
    /// The name of the file that says what the store is, where a store is a folder of files; nil
    /// where a store is one file.
    var mainFile: String? { get }

    /// Reads what the store says of itself from the store's file, or from the folder's main file.
    ///
    /// What throws here is no store of this engine, or is damaged: so write a mark of your own.
    ///
    /// - Throws: `.notAStore` where the bytes are not of this form; `.unsupported` for a later
    ///   version of it; `.corrupt`.
    func metadata(
        _ main: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> StoreMetadata

    /// Reads the objects of a store whose metadata was read and fits the model.
    ///
    /// - Throws: `.corrupt`, naming the place; `.unsupported`.
    func decode(_ files: StoreFiles, into store: inout StoreBuilder) throws(StoreError)

    /// Writes a whole store.
    ///
    /// Equal content makes equal bytes: a folder's file whose bytes stay is not written again.
    ///
    /// - Throws: `.unsupportedValue` for a value that would not come back equal.
    func encode(_ content: AtomicContent) throws(StoreError) -> StoreFiles
}

/// The bytes of all files of a store in one state.
public struct StoreFiles: Sendable {
    /// The store's only file, or the one of a folder that says what the store is.
    public var main: [UInt8]
    /// The other files of a folder by name; empty where a store is one file. A name is not empty
    /// and has no slash.
    public var others: [String: [UInt8]]

    /// The files of a store; only the main one, unless others are given.
    public init(main: [UInt8], others: [String: [UInt8]] = [:]) {
        self.main = main
        self.others = others
    }
}
