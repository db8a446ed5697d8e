import CairnEngineKit
import CairnFiles
import CairnModel
import CairnModelArchive
import CairnStore
import Foundation

/// The file format of a whole store. This is all that the author of an ``AtomicEngine`` has to
/// write.
///
/// A store is one file, or a folder with a main file that identifies the store. A codec converts
/// bytes to rows and rows to bytes. It opens no files, takes no locks and knows nothing about
/// saves.
public protocol AtomicCodec: Sendable {
    /// The part of a store that the codec can read without opening the store.
    associatedtype Head: AtomicHead

    /// The name of the main file, which identifies the store, if a store is a folder of files.
    /// `nil` if a store is a single file. The default implementation returns `nil`.
    var mainFile: String? { get }

    /// Returns whether a file that begins with these bytes is the store's file, or the main file of
    /// a folder.
    ///
    /// Files should therefore begin with a mark of your own. If this method returns `false`,
    /// nothing else is read of the file.
    ///
    /// - Parameter bytes: the first 1,024 bytes, or fewer if the file is shorter.
    func begins(_ bytes: [UInt8]) -> Bool

    /// Returns whether these bytes show that the file is a store of this form, even if the store is
    /// damaged. The default implementation returns ``begins(_:)``. Implement this method if files
    /// of other programs begin in the same way, and ``head(_:at:)`` tells them apart.
    ///
    /// - Parameter beginning: the first 1,024 bytes, or fewer if the file is shorter.
    func recognizes(_ beginning: [UInt8]) -> Bool

    /// Returns the number of bytes at the beginning of the file that ``head(_:at:)`` needs, so that
    /// the objects of a large store are not read. Returns `nil` if all bytes are needed. The
    /// default implementation returns `nil`. Not called for folders.
    ///
    /// If the result is greater than the number of bytes in `beginning`, this method is called
    /// again with that number of bytes, and may ask for more.
    ///
    /// - Parameters:
    ///   - beginning: the first bytes of the file: 1,024 in the first call, or all if the file is
    ///     shorter.
    ///   - location: the location of the store, for errors.
    /// - Throws: `.unsupported` for a later version of the form; `.corrupt`.
    func headByteCount(
        _ beginning: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> Int?

    /// Checks that all files are unchanged since they were written. Called when a store is opened,
    /// before anything else is read. The default implementation checks nothing.
    ///
    /// - Throws: `.corrupt`.
    func checkWhole(_ files: StoreFiles, at location: StoreLocation) throws(StoreError)

    /// Reads the store's head.
    ///
    /// - Parameters:
    ///   - main: the store's file, or the main file of the folder. If the store is not being
    ///     opened, only the number of bytes that ``headByteCount(_:at:)`` returns.
    ///   - location: the location of the store, for errors.
    /// - Throws: `.notAStore` if the bytes turn out to be of another form; `.unsupported` for a
    ///   later version of the form; `.corrupt`.
    func head(_ main: [UInt8], at location: StoreLocation) throws(StoreError) -> Head

    /// Returns whether the version hashes that the store records must be equal to those of the
    /// model that it is opened with. The default implementation returns `true`. If a codec returns
    /// `false`, its ``decode(_:_:into:)`` has to find out whether the model fits.
    func comparesHashes(of head: Head, with model: ManagedObjectModel) -> Bool

    /// Reads the objects of a store. Its head has been read and fits the model.
    ///
    /// - Throws: `.corrupt`, which names the position; `.unsupported`.
    func decode(
        _ files: StoreFiles, _ head: Head, into store: inout StoreBuilder
    ) throws(StoreError)

    /// Writes a whole store.
    ///
    /// Equal content should result in equal bytes, because a file of a folder is not written again
    /// if its bytes do not change.
    ///
    /// - Throws: `.unsupportedValue` for a value that could not be read back unchanged.
    func encode(_ content: StoreContent) throws(StoreError) -> StoreFiles

    /// Infers a model, sufficient for reading, from a store that contains no model. Returns `nil`
    /// if the store is not enough. The default implementation returns `nil`.
    ///
    /// - Parameters:
    ///   - main: the store's file, or the main file of the folder.
    ///   - location: the location of the store, for errors.
    /// - Throws: `.unsupported`, which names the information that the store lacks; the errors of
    ///   ``head(_:at:)``.
    func derivedModel(
        _ main: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> ModelDescription?
}

extension AtomicCodec {
    /// Returns `nil`.
    public var mainFile: String? { nil }

    /// Returns ``begins(_:)``.
    public func recognizes(_ beginning: [UInt8]) -> Bool { begins(beginning) }

    /// Returns `nil`.
    public func headByteCount(
        _ beginning: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> Int? { nil }

    /// Checks nothing.
    public func checkWhole(_ files: StoreFiles, at location: StoreLocation) throws(StoreError) {}

    /// Returns `true`.
    public func comparesHashes(of head: Head, with model: ManagedObjectModel) -> Bool { true }

    /// Returns `nil`.
    public func derivedModel(
        _ main: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? { nil }
}

/// The part of a store that comes before its objects, and can be read without opening the store.
///
/// A codec defines a type of its own that conforms to this protocol.
/// ``AtomicCodec/decode(_:_:into:)`` receives the value that ``AtomicCodec/head(_:at:)`` returned,
/// so that nothing is read twice.
public protocol AtomicHead {
    /// The identifier, version hashes and application values, equal to `StoreContent.metadata`
    /// when the store was written.
    var metadata: StoreMetadata { get }

    /// The `StoreContent.modelArchive` that the store was written with, or `nil` if the store
    /// contains no model. The default implementation returns `nil`.
    ///
    /// If a store contains its model, programs without the model can count, query and copy its
    /// objects.
    var modelArchive: Data? { get }

    /// The number of objects of each entity, by the entity's name. Objects of subentities count
    /// only for the subentity. Returns `nil` if the head does not contain the numbers. The store is
    /// then opened with the model that it contains, and its rows are counted. The default
    /// implementation returns `nil`.
    var entityCounts: [String: Int]? { get }
}

extension AtomicHead {
    /// Returns `nil`.
    public var modelArchive: Data? { nil }

    /// Returns `nil`.
    public var entityCounts: [String: Int]? { nil }

    /// Decodes ``modelArchive``. Returns `nil` if the store contains no model, or a damaged one.
    package var model: ManagedObjectModel? {
        guard let archive = modelArchive,
            let description = try? ModelCache.decode(Array(archive))
        else { return nil }
        return try? ManagedObjectModel(description)
    }
}

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

/// The content of a store's file, together with the file and its stamp, which show whether it was
/// replaced.
struct LoadedStore: Sendable {
    var content: StoreContent
    let held: HeldFile
    let stamp: FileStamp
}
