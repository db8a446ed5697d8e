import CairnModel
import CairnStore

/// The form of a whole store: all that the author of an ``AtomicEngine`` writes.
///
/// A store is one file, or a folder of files of which one says what the store is. A codec turns
/// bytes into rows and rows into bytes; it opens no file, takes no lock and knows no save.
public protocol AtomicCodec: Sendable {
    /// What the codec reads of a store that is not open.
    associatedtype Head: AtomicHead

    /// The name of the file that says what the store is, if a store is a folder of files. The default
    /// implementation returns `nil`: a store is one file.
    var mainFile: String? { get }

    /// Whether a file that begins with these bytes is the store's file, or a folder's main file.
    ///
    /// So put a mark of your own at the beginning. Nothing else is read of a file for which this
    /// returns `false`.
    ///
    /// - Parameter bytes: the first 1,024 bytes; fewer if the file is shorter.
    func begins(_ bytes: [UInt8]) -> Bool

    /// Whether these bytes show that the file is a store of this form, although it may be damaged. The
    /// default implementation returns ``begins(_:)``. Implement this if files of other programs begin
    /// in the same way, and ``head(_:at:)`` tells them apart.
    ///
    /// - Parameter beginning: the first 1,024 bytes; fewer if the file is shorter.
    func recognizes(_ beginning: [UInt8]) -> Bool

    /// Returns how many bytes from the beginning of the file ``head(_:at:)`` needs, so that the objects
    /// of a large store are not read. Not called for folders. Returns `nil` if all are needed. The
    /// default implementation returns `nil`.
    ///
    /// If the result is greater than the number of bytes in `beginning`, this method is called again with
    /// as many bytes, and may ask for more.
    ///
    /// - Parameter beginning: the first bytes: 1,024 at first; all if the file is shorter.
    /// - Throws: `.unsupported` for a later version of the form; `.corrupt`.
    func headByteCount(
        _ beginning: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> Int?

    /// Checks that all files are as they were written, before anything else is read of a store that is
    /// opened. The default implementation checks nothing.
    ///
    /// - Throws: `.corrupt`.
    func checkWhole(_ files: StoreFiles, at location: StoreLocation) throws(StoreError)

    /// Reads what the store says of itself.
    ///
    /// - Parameter main: the store's file or the folder's main file; or, of a file that is not opened,
    ///   as many of the first bytes as ``headByteCount(_:at:)`` says.
    /// - Throws: `.notAStore` if the bytes are of another form all the same; `.unsupported` for a later
    ///   version of the form; `.corrupt`.
    func head(_ main: [UInt8], at location: StoreLocation) throws(StoreError) -> Head

    /// Whether the version hashes that the store records must be those of the model that it is opened
    /// with. The default implementation returns `true`. ``decode(_:_:into:)`` of a codec that returns
    /// `false` finds out whether the model fits.
    func comparesHashes(of head: Head, with model: ManagedObjectModel) -> Bool

    /// Reads the objects of a store whose head was read and fits the model.
    ///
    /// - Throws: `.corrupt`, naming the position; `.unsupported`.
    func decode(
        _ files: StoreFiles, _ head: Head, into store: inout StoreBuilder
    ) throws(StoreError)

    /// Writes a whole store.
    ///
    /// Equal content makes equal bytes: a folder's file whose bytes stay is not written again.
    ///
    /// - Throws: `.unsupportedValue` for a value that would not come back equal.
    func encode(_ content: AtomicContent) throws(StoreError) -> StoreFiles

    /// Infers a model, sufficient for reading, from a store that contains none. Returns `nil` if the
    /// store is not enough. The default implementation returns `nil`.
    ///
    /// - Parameter main: the store's file or the folder's main file.
    /// - Throws: `.unsupported`, with what the store does not show; as ``head(_:at:)``.
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
