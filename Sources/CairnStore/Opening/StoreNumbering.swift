import CairnModel

/// Maps a model's entity numbers to those of a store that numbers its entities differently.
///
/// A store keeps the names of its entities in the order of their numbers, and its rows and links
/// have these numbers. A model with one more entity may number all others differently. An engine
/// that gets `nil` from ``init(names:model:)`` uses the numbers as they are.
package final class StoreNumbering: Sendable {
    /// Numbers in the model by numbers in the store; 0 for an entity that the model does not have. Good
    /// while the numbering is there.
    package let modelNumbers: EntityNumberMap
    /// Numbers in the store by numbers in the model; 0 for an entity that the store does not list.
    let storeNumbers: EntityNumberMap
    /// What the two maps read.
    private let tables: [FrozenTable<UInt16>]

    /// Returns `nil` if every entity that the store lists has the same number in the model.
    ///
    /// - Parameter names: the names of the store's entities by number, from 1 at index 0.
    package init?(names: [String], model: ManagedObjectModel) {
        var modelNumbers = [UInt16](repeating: 0, count: names.count)
        var storeNumbers = [UInt16](repeating: 0, count: model.entities.count)
        var agrees = true
        for (index, name) in names.enumerated() {
            let number = model.entity(named: name)?.number.rawValue ?? 0
            if Int(number) != index + 1 { agrees = false }
            // A name that occurs twice has the first of its numbers.
            guard number > 0, storeNumbers[Int(number) - 1] == 0 else { continue }
            modelNumbers[index] = number
            storeNumbers[Int(number) - 1] = UInt16(truncatingIfNeeded: index + 1)
        }
        if agrees { return nil }
        tables = [FrozenTable(modelNumbers), FrozenTable(storeNumbers)]
        self.modelNumbers = EntityNumberMap(tables[0])
        self.storeNumbers = EntityNumberMap(tables[1])
    }

    /// How many entities the store lists.
    var listedCount: Int { modelNumbers.count }

    /// Returns the model's number of an entity of the store, or 0 if the model does not have it.
    package func modelNumber(of entity: StoreEntityNumber) -> EntityNumber {
        EntityNumber(modelNumbers[entity.rawValue])
    }

    /// Returns the store's number of an entity of the model, or 0 if the store does not list it.
    package func storeNumber(of entity: EntityNumber) -> StoreEntityNumber {
        StoreEntityNumber(storeNumbers[entity.rawValue])
    }
}

extension RowLayouts {
    /// Replaces the model's entity numbers in a row by the store's.
    ///
    /// - Precondition: the bytes are a row of the model, and the store lists its entity and those of
    ///   its to-ones.
    package func renumber(
        _ bytes: UnsafeMutableRawBufferPointer, for numbering: StoreNumbering
    ) {
        let entity = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        checks.renumber(bytes, of: UInt16(littleEndian: entity), by: numbering.storeNumbers)
    }
}

extension RowWriter {
    /// Adds a row with a store's entity numbers, after replacing these by the model's and checking
    /// the row.
    ///
    /// - Precondition: no row is begun.
    /// - Throws: what ``RowLayouts/check(_:)`` throws; nothing was added then.
    package mutating func append(
        bytes: UnsafeRawBufferPointer, numberedBy numbering: StoreNumbering,
        checkedBy layouts: RowLayouts
    ) throws(RowDamage) {
        addToBatch(
            try copyIn(bytes, numberedBy: numbering.modelNumbers, checkedBy: layouts).count)
    }

    /// Copies a row with a store's entity numbers to where the next row begins, replaces the numbers
    /// by the model's, and checks the row. It is not added to the batch.
    ///
    /// - Precondition: no row is begun.
    /// - Parameter numbers: the map of a ``StoreNumbering``, and not that itself: it comes with each
    ///   row that is read, and a reference would be counted for each.
    /// - Returns: the copy, which is there until the writer is used again.
    /// - Throws: what ``RowLayouts/check(_:)`` throws.
    package mutating func copyIn(
        _ bytes: UnsafeRawBufferPointer, numberedBy numbers: EntityNumberMap,
        checkedBy layouts: RowLayouts
    ) throws(RowDamage) -> UnsafeRawBufferPointer {
        let row = copyIn(bytes)
        try layouts.checks.renumberAndCheck(row, by: numbers)
        return UnsafeRawBufferPointer(row)
    }
}
