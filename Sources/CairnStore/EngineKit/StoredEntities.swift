import CairnModel

/// The entities that the numbers in stored rows stand for. For engines that store packed rows as
/// they are.
///
/// A packed row names entities by their numbers in the model that it was written with. Another model
/// that can open the store may number them differently. So a store records the ``names`` and the
/// ``fingerprint`` with its rows, and reads the rows by ``append(_:to:)``.
public struct StoredEntities: Sendable {
    /// The names of the entities by number, from 1 at index 0.
    public let names: [String]
    /// Equal for models that lay out the rows of these entities alike.
    public let fingerprint: UInt64
    private let layouts: RowLayouts
    /// `nil` if both models number the entities alike.
    private let numbering: StoreNumbering?

    /// The entities of a model, for rows that are written with it.
    public init(_ layouts: RowLayouts) {
        names = layouts.model.entities.map(\.name)
        fingerprint = layouts.fingerprint
        self.layouts = layouts
        numbering = nil
    }

    /// The entities that a store recorded, for reading its rows with another model's layouts.
    ///
    /// Returns `nil` if the model lays out rows differently: the engine throws `.unsupported` then. The
    /// version hashes of the entities are checked first, by a ``CompatibilityCheck``.
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

    /// Whether a store that recorded these entities needs no new record for rows of the model.
    public func describes(_ layouts: RowLayouts) -> Bool { fingerprint == layouts.fingerprint }

    /// Adds a stored row, after replacing its entity numbers by the model's and checking it.
    ///
    /// - Parameter bytes: as ``Row/withBytes(_:)`` gave them.
    /// - Precondition: the writer has no row begun.
    /// - Throws: what is wrong with the bytes; nothing was added then.
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
