import CairnModel
import CairnStore

/// All that a file of a whole store holds.
package struct AtomicContent: Sendable {
    package var table: RowTable
    package var metadata: StoreMetadata
    /// The first key that was never given, by root entity; 1 where it is absent.
    package var nextKeys: [EntityNumber: Int64]
    /// Whether new keys are above those of all root entities, as identifiers that are unique in a
    /// document want it.
    package var sharesKeys: Bool
    /// Grows with each save; 1 where the file does not say.
    package var generation: UInt64

    package init(
        table: RowTable, metadata: StoreMetadata, nextKeys: [EntityNumber: Int64] = [:],
        sharesKeys: Bool = false, generation: UInt64 = 1
    ) {
        self.table = table
        self.metadata = metadata
        self.nextKeys = nextKeys
        self.sharesKeys = sharesKeys
        self.generation = generation
    }

    /// The content of a new store of the type.
    package init(new type: StoreType, _ schema: TableSchema, identifier: String) {
        let model = schema.layouts.model
        self.init(
            table: RowTable(schema),
            metadata: StoreMetadata(
                identifier: identifier, type: type,
                entityVersionHashes: model.entityVersionHashes,
                modelVersionIdentifiers: model.description.versionIdentifiers.sorted()))
    }
}

/// The form of a whole store in a file: all that a whole-file engine adds.
package protocol AtomicCodec: Sendable {
    /// The engine's type.
    var type: StoreType { get }
    /// What the engine's files look like by their first bytes.
    var kind: FileKind { get }

    /// Reads a whole file into rows of the store that its identifier and the request name.
    ///
    /// - Throws: `.notAStore`, `.modelMismatch`, `.unsupported`, `.corrupt`.
    func decode(_ bytes: [UInt8], _ schema: TableSchema) throws(StoreError) -> AtomicContent

    /// Writes a whole file.
    ///
    /// - Throws: `.unsupportedValue` for a value that the form cannot keep.
    func encode(_ content: AtomicContent) throws(StoreError) -> [UInt8]
}
