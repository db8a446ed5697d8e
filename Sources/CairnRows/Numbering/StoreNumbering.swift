import CairnModel

/// Translates between a model's entity numbers and those of a store that numbers its entities
/// differently.
///
/// A store lists the names of its entities in the order of their numbers, and uses these numbers in
/// its rows and links. Adding one entity to a model may change the numbers of all others. If
/// ``init(names:model:)`` returns `nil`, the numbers agree and the engine uses them as they are.
package final class StoreNumbering: Sendable {
    /// The number in the model for each number in the store, or 0 if the model does not have the
    /// entity. Valid as long as the numbering exists.
    package let modelNumbers: EntityNumberMap
    /// The number in the store for each number in the model, or 0 if the store does not list the
    /// entity.
    let storeNumbers: EntityNumberMap
    /// Owns the memory that the two maps read.
    private let tables: [FrozenTable<UInt16>]

    /// Creates a numbering. Returns `nil` if every entity that the store lists has the same number
    /// in the model.
    ///
    /// - Parameters:
    ///   - names: the names of the store's entities, in the order of their numbers (number 1 at
    ///     index 0).
    ///   - model: the model that the store is opened with.
    package init?(names: [String], model: ManagedObjectModel) {
        var modelNumbers = [UInt16](repeating: 0, count: names.count)
        var storeNumbers = [UInt16](repeating: 0, count: model.entities.count)
        var agrees = true
        for (index, name) in names.enumerated() {
            let number = model.entity(named: name)?.number.rawValue ?? 0
            if Int(number) != index + 1 { agrees = false }
            // If a name occurs twice, its first number counts.
            guard number > 0, storeNumbers[Int(number) - 1] == 0 else { continue }
            modelNumbers[index] = number
            storeNumbers[Int(number) - 1] = UInt16(truncatingIfNeeded: index + 1)
        }
        if agrees { return nil }
        tables = [FrozenTable(modelNumbers), FrozenTable(storeNumbers)]
        self.modelNumbers = EntityNumberMap(tables[0])
        self.storeNumbers = EntityNumberMap(tables[1])
    }

    /// The number of entities that the store lists.
    var listedCount: Int { modelNumbers.count }

    /// Returns the model's number for an entity of the store, or 0 if the model does not have the
    /// entity.
    package func modelNumber(of entity: StoreEntityNumber) -> EntityNumber {
        EntityNumber(modelNumbers[entity.rawValue])
    }

    /// Returns the store's number for an entity of the model, or 0 if the store does not list the
    /// entity.
    package func storeNumber(of entity: EntityNumber) -> StoreEntityNumber {
        StoreEntityNumber(storeNumbers[entity.rawValue])
    }
}

extension RowLayouts {
    /// Replaces the model's entity numbers in a row with the store's.
    ///
    /// - Precondition: the bytes are a row of the model. The store lists the row's entity and the
    ///   entities of its to-one relationships.
    package func renumber(
        _ bytes: UnsafeMutableRawBufferPointer, for numbering: StoreNumbering
    ) {
        let entity = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        checks.renumber(bytes, of: UInt16(littleEndian: entity), by: numbering.storeNumbers)
    }
}

extension RowWriter {
    /// Adds a row that contains a store's entity numbers. Replaces them with the model's numbers
    /// and checks the row first.
    ///
    /// - Precondition: no row has been begun.
    /// - Throws: the errors of ``RowLayouts/check(_:)``. Nothing has been added then.
    package mutating func append(
        bytes: UnsafeRawBufferPointer, numberedBy numbering: StoreNumbering,
        checkedBy layouts: RowLayouts
    ) throws(RowDamage) {
        addToBatch(
            try copyIn(bytes, numberedBy: numbering.modelNumbers, checkedBy: layouts).count)
    }

    /// Copies a row that contains a store's entity numbers to where the next row begins, replaces
    /// them with the model's numbers, and checks the row. The row is not added to the batch.
    ///
    /// - Precondition: no row has been begun.
    /// - Parameters:
    ///   - bytes: the bytes of the stored row.
    ///   - numbers: the map of a ``StoreNumbering``. The numbering itself is not passed, because
    ///     this method is called for each row that is read, and each call would count a reference.
    ///   - layouts: the row layouts of the model.
    /// - Returns: the copy, which is valid until the writer is used again.
    /// - Throws: the errors of ``RowLayouts/check(_:)``.
    package mutating func copyIn(
        _ bytes: UnsafeRawBufferPointer, numberedBy numbers: EntityNumberMap,
        checkedBy layouts: RowLayouts
    ) throws(RowDamage) -> UnsafeRawBufferPointer {
        let row = copyIn(bytes)
        try layouts.checks.renumberAndCheck(row, by: numbers)
        return UnsafeRawBufferPointer(row)
    }
}

/// The number of an entity in a store. The entity may have another number in the model.
package struct StoreEntityNumber: RawRepresentable, Sendable, Hashable {
    /// The number, which starts at 1. The value 0 stands for no entity.
    package let rawValue: UInt16

    @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }
    @inlinable package init(_ rawValue: UInt16) { self.rawValue = rawValue }
}

/// A map from entity numbers to entity numbers, which start at 1.
///
/// The map is consulted several times for every row, so it does not retain an array: counting the
/// references would cost more than the look-ups.
package struct EntityNumberMap: Sendable {
    /// The numbers, in a table that the ``StoreNumbering`` owns.
    private let numbers: FrozenElements<UInt16>

    init(_ numbers: FrozenTable<UInt16>) { self.numbers = numbers.elements }

    var count: Int { numbers.count }

    /// Returns the number that `number` is mapped to, or 0 if there is no such number.
    @inline(__always) subscript(number: UInt16) -> UInt16 {
        let index = Int(number) - 1
        return index >= 0 && index < numbers.count ? numbers[index] : 0
    }
}
