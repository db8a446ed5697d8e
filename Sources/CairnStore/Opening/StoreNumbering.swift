import CairnModel

/// The number that a store gives an entity. It may differ from the number in a model.
package struct StoreEntityNumber: RawRepresentable, Sendable, Hashable {
    /// From 1. 0 is no entity.
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }
    package init(_ rawValue: UInt16) { self.rawValue = rawValue }
}

/// Maps a model's entity numbers to those of a store that numbers its entities differently.
///
/// A store keeps the names of its entities in the order of their numbers, and its rows and links
/// have these numbers. A model with one more entity may number all others differently. An engine
/// that gets `nil` from ``init(names:model:)`` uses the numbers as they are.
package final class StoreNumbering: Sendable {
    /// By number in the store, from 1 at index 0; 0 for an entity that the model does not have.
    let modelNumbers: ContiguousArray<UInt16>
    /// By number in the model, from 1 at index 0; 0 for an entity that the store does not list.
    let storeNumbers: ContiguousArray<UInt16>

    /// Returns `nil` if every entity that the store lists has the same number in the model.
    ///
    /// - Parameter names: the names of the store's entities by number, from 1 at index 0.
    package init?(names: [String], model: ManagedObjectModel) {
        var modelNumbers = ContiguousArray<UInt16>(repeating: 0, count: names.count)
        var storeNumbers = ContiguousArray<UInt16>(repeating: 0, count: model.entities.count)
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
        self.modelNumbers = modelNumbers
        self.storeNumbers = storeNumbers
    }

    /// Returns the model's number of an entity of the store, or 0 if the model does not have it.
    @inline(__always) package func modelNumber(of entity: StoreEntityNumber) -> EntityNumber {
        EntityNumber(Self.look(up: entity.rawValue, in: modelNumbers))
    }

    /// Returns the store's number of an entity of the model, or 0 if the store does not list it.
    @inline(__always) package func storeNumber(of entity: EntityNumber) -> StoreEntityNumber {
        StoreEntityNumber(Self.look(up: entity.rawValue, in: storeNumbers))
    }

    @inline(__always) static func look(
        up number: UInt16, in numbers: ContiguousArray<UInt16>
    ) -> UInt16 {
        let index = Int(number) - 1
        return numbers.indices.contains(index) ? numbers[index] : 0
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
        let row = copyIn(bytes)
        if row.count >= RowLayout.headerByteCount {
            let number = bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
            let entity = numbering.modelNumber(of: StoreEntityNumber(UInt16(littleEndian: number)))
            guard entity.rawValue > 0 else { throw .unknownEntity(UInt16(littleEndian: number)) }
            layouts.checks.renumber(row, of: entity.rawValue, by: numbering.modelNumbers)
        }
        try layouts.checks.check(UnsafeRawBufferPointer(row))
        addToBatch(row.count)
    }
}
