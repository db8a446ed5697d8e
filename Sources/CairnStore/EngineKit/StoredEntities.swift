import CairnModel

/// The entities that the entity numbers in stored rows stand for. For engines that store packed
/// rows unchanged.
///
/// A packed row identifies entities by their numbers in the model that it was written with. Another
/// model that can open the store may number them differently. Therefore a store records the
/// ``names`` and the ``fingerprint`` together with its rows, and reads the rows with
/// ``append(_:to:)``.
public struct StoredEntities: Sendable {
    /// The names of the entities in the order of their numbers (number 1 at index 0).
    public let names: [String]
    /// A number that is equal for models with the same row layouts of these entities.
    public let fingerprint: UInt64
    private let layouts: RowLayouts
    /// `nil` if both models number the entities in the same way.
    private let numbering: StoreNumbering?

    /// Creates the entities of a model, for rows that are written with that model.
    public init(_ layouts: RowLayouts) {
        names = layouts.model.entities.map(\.name)
        fingerprint = layouts.fingerprint
        self.layouts = layouts
        numbering = nil
    }

    /// Creates the entities that a store recorded, to read its rows with another model's layouts.
    ///
    /// Returns `nil` if the model lays out rows differently. The engine should throw `.unsupported`
    /// in that case. Check the version hashes of the entities with a ``CompatibilityCheck`` first.
    public init?(names: [String], fingerprint: UInt64, readWith layouts: RowLayouts) {
        self.names = names
        self.fingerprint = fingerprint
        self.layouts = layouts
        numbering = StoreNumbering(names: names, model: layouts.model)
        let expected =
            numbering.map { layouts.fingerprint(numberedBy: $0) }
            ?? layouts.fingerprint(ofFirst: names.count)
        if expected != fingerprint { return nil }
    }

    /// Returns whether the record also describes rows that are written with these layouts.
    public func describes(_ layouts: RowLayouts) -> Bool { fingerprint == layouts.fingerprint }

    /// Adds a stored row after replacing its entity numbers with the model's and checking it.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that ``Row/withBytes(_:)`` provided.
    ///   - writer: the writer that the row is added to.
    /// - Precondition: no row has been begun in the writer.
    /// - Throws: the damage that was found. Nothing has been added then.
    public func append(
        _ bytes: UnsafeRawBufferPointer, to writer: inout RowWriter
    ) throws(RowDamage) {
        if let numbering {
            try writer.append(bytes: bytes, numberedBy: numbering, checkedBy: layouts)
        } else {
            try writer.append(bytes: bytes, checkedBy: layouts)
        }
    }
}
