import CairnModel
import CairnRows

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
    /// The store's numbers of the entities whose rows have another layout than in the model.
    private var changed: Set<UInt16> = []

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
    /// in that case. Check the version hashes of the entities with a ``CairnStore/CompatibilityCheck`` first.
    ///
    /// - Parameters:
    ///   - names: the recorded ``names``.
    ///   - fingerprint: the recorded ``fingerprint``.
    ///   - layouts: the layouts of the model that the store is opened with.
    ///   - layoutFingerprints: the recorded `layoutFingerprints`, or `nil` if the store does not
    ///     record them. They are needed only if `fingerprint` differs. The rows of the entities that
    ///     have the same layout can then be read. An entity of another configuration than the
    ///     store's may have another layout.
    public init?(
        names: [String], fingerprint: UInt64, readWith layouts: RowLayouts,
        layoutFingerprints: @autoclosure () -> [UInt64]? = nil
    ) {
        self.names = names
        self.fingerprint = fingerprint
        self.layouts = layouts
        numbering = StoreNumbering(names: names, model: layouts.model)
        let expected =
            numbering.map { layouts.fingerprint(numberedBy: $0) }
            ?? layouts.fingerprint(ofFirst: names.count)
        if expected == fingerprint { return }
        guard let recorded = layoutFingerprints(), recorded.count == names.count else { return nil }
        let known = layouts.fingerprintsByName
        for (index, name) in names.enumerated() where known[name] != recorded[index] {
            changed.insert(UInt16(truncatingIfNeeded: index + 1))
        }
    }

    /// A number for each entity in ``names`` that is equal for models with the same layout of its
    /// rows.
    package var layoutFingerprints: [UInt64] { names.map { layouts.fingerprintsByName[$0] ?? 0 } }

    /// Returns whether the record also describes rows that are written with these layouts.
    public func describes(_ layouts: RowLayouts) -> Bool { fingerprint == layouts.fingerprint }

    /// Adds a stored row after replacing its entity numbers with the model's and checking it.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that `Row.withBytes(_:)` provided.
    ///   - writer: the writer that the row is added to.
    /// - Precondition: no row has been begun in the writer.
    /// - Throws: the damage that was found. Nothing has been added then.
    public func append(
        _ bytes: UnsafeRawBufferPointer, to writer: inout RowWriter
    ) throws(RowDamage) {
        if !changed.isEmpty, bytes.count >= RowLayout.headerByteCount {
            let number = UInt16(
                littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
            if changed.contains(number) { throw .otherLayout(number) }
        }
        if let numbering {
            try writer.append(bytes: bytes, numberedBy: numbering, checkedBy: layouts)
        } else {
            try writer.append(bytes: bytes, checkedBy: layouts)
        }
    }
}
