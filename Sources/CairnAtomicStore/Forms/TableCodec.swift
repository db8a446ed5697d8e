import CairnFiles
import CairnModel
import CairnStore

/// The form of a whole store in a file, read straight into a table and written straight from it.
package protocol TableCodec: Sendable {
    /// The engine's type.
    var type: StoreType { get }
    /// Whether the first bytes of a file are those of the engine's files.
    func begins(_ bytes: [UInt8]) -> Bool

    /// Reads a whole file into rows of the store that its identifier and the request name.
    ///
    /// - Throws: `.notAStore`, `.modelMismatch`, `.unsupported`, `.corrupt`.
    func decode(_ bytes: [UInt8], _ schema: TableSchema) throws(StoreError) -> AtomicContent

    /// Writes a whole file, in parts that may stand where the content has them.
    ///
    /// - Throws: `.unsupportedValue` for a value that the form cannot keep.
    func encode(_ content: AtomicContent) throws(StoreError) -> FileParts
}

/// One file that a ``TableCodec`` reads and writes.
package struct TableForm: StoredForm {
    private let codec: any TableCodec

    init(_ codec: any TableCodec) { self.codec = codec }

    package var type: StoreType { codec.type }

    package func load(
        _ file: DurableFile, _ schema: TableSchema, _ request: OpenRequest
    ) throws(StoreError) -> LoadedStore {
        let inspection = FileInspection(file, at: request.location, expected: codec.type)
        try inspection.requireBeginning(codec.begins)
        let (bytes, held, stamp) = try inspection.readAll()
        return LoadedStore(content: try codec.decode(bytes, schema), held: held, stamp: stamp)
    }

    package func prepare(
        _ content: AtomicContent, as file: DurableFile
    ) throws(StoreError) -> PendingFile {
        let parts = try codec.encode(content)
        do throws(FileFailure) {
            return try file.prepare(parts)
        } catch {
            throw .fileFailure(error)
        }
    }
}
